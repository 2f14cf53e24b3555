package fit

import (
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// WriteMarkdown writes the decision for a ticket, with all answers.
func (d Decision) WriteMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Does the job fit?\n\n**%s**\n", d.verdictText())
	for _, r := range d.Stops {
		fmt.Fprintf(&b, "\n## %s\n\nAnswer: %s.\n\n%s\n\nWhat to do: %s\n", plain(r.Asked), plain(r.Said), r.Why, r.Mend)
	}
	if d.Verdict != Stop {
		d.markdownFit(&b)
	}
	b.WriteString("\n## The answers\n\n| question | answer |\n|---|---|\n")
	for _, q := range Relevant(d.Answers) {
		text := d.Answers[q.ID]
		if o := q.Option(text); o.Value != "" {
			text = o.Text
		}
		if text == "" {
			text = "(left open)"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", plain(q.Text), plain(text))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (d Decision) markdownFit(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s\n", d.Promise)
	if d.Job.Effect.Kind != job.OwnRow && len(d.Choices) == 0 {
		fmt.Fprintf(b, "\n## When a worker died holding its claim\n\n%s\n", jobfile.Explain(d.Job))
	}
	if len(d.Choices) > 0 {
		b.WriteString("\n## The policies to choose from, for the case that nobody can tell\n\n")
		for _, c := range d.Choices {
			fmt.Fprintf(b, "- `%s`: %s\n", c.Policy, c.What)
		}
	}
	_, why := Retention(d.Job.Queue)
	fmt.Fprintf(b, "\n## To confirm in writing\n\n- Lease %s. %s\n- Retention %s. %s\n", jobfile.FormatDuration(d.Job.Lease), WhyLease(d.Job.LongestRun, d.Job.Lease),
		jobfile.FormatDuration(d.Job.Retention), why)
	for _, n := range d.Notes {
		fmt.Fprintf(b, "- %s\n", n)
	}
	if len(d.ToFillIn) > 0 {
		fmt.Fprintf(b, "- Left open: %s.\n", strings.Join(d.ToFillIn, ", "))
	}
	b.WriteString("\n## Next\n\n")
	for i, step := range d.next() {
		fmt.Fprintf(b, "%d. %s\n", i+1, step)
	}
}

// plain keeps what somebody typed from being Markdown.
func plain(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
