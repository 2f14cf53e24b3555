package fit

import (
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

const width = 100

// verdictText is the verdict in a sentence.
func (d Decision) verdictText() string {
	switch {
	case d.Verdict == Stop && len(d.Stops) == 1:
		return "Stop: as things are, the job does not fit."
	case d.Verdict == Stop:
		return fmt.Sprintf("Stop: as things are, the job does not fit, for %d reasons.", len(d.Stops))
	case d.Verdict == FitsToChoose:
		return "The job fits, with a policy to choose."
	}
	return "The job fits."
}

// next are the steps after a job that fits.
func (d Decision) next() []string {
	steps := []string{
		"Look at what has happened already: `twiceproof repeats` lists past repeats, and when they come.",
		"Confirm in writing what one operation is, what counts as a repeat, the lease and the policy. They are in the job file.",
	}
	steps = append(steps, "Make the change: `twiceproof init` writes the migration, the guarded job to take over into yours, the replay file, the backfill and a CI entry.")
	if d.Verdict == FitsToChoose {
		steps = append(steps, "Choose the policy. `twiceproof replay --policy hold` shows what each would do, before anything is decided.")
	}
	return append(steps,
		"Prove it: `twiceproof replay` takes the old and the new code through every case.",
		"Have it signed: `twiceproof note` writes the page.",
		"Run the migration and the backfill, deploy, and check the settings: `twiceproof doctor`.",
		"Look after it: `twiceproof status` counts the operations, `twiceproof held` lists those that wait for a person.")
}

// WriteText shows the decision to a person.
func (d Decision) WriteText(out io.Writer) error {
	var b strings.Builder
	b.WriteString(d.verdictText() + "\n")
	for _, r := range d.Stops {
		b.WriteString("\n" + wrapped(r.Asked, "  ") + wrapped(r.Said, "    you said: "))
		b.WriteString(wrapped("Why: "+r.Why, "    ") + wrapped("What to do: "+r.Mend, "    "))
	}
	if d.Verdict != Stop {
		d.writeFit(&b)
	}
	if len(d.Unused) > 0 {
		b.WriteString("\n" + wrapped("Nothing hung on these answers: "+strings.Join(d.Unused, ", ")+".", ""))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (d Decision) writeFit(b *strings.Builder) {
	b.WriteString("\n" + wrapped(d.Promise, "  "))
	if d.Job.Effect.Kind != job.OwnRow && len(d.Choices) == 0 {
		b.WriteString("\nWhen a worker died holding its claim:\n\n")
		for sentence := range strings.SplitSeq(jobfile.Explain(d.Job), "\n") {
			b.WriteString(wrapped(sentence, "  "))
		}
	}
	if len(d.Choices) > 0 {
		b.WriteString("\nThe policies to choose from, for the case that nobody can tell:\n")
		for _, c := range d.Choices {
			fmt.Fprintf(b, "\n  %s\n%s", c.Policy, wrapped(c.What, "    "))
		}
	}
	fmt.Fprintf(b, "\nLease: %s\n\n%s", jobfile.FormatDuration(d.Job.Lease), wrapped(WhyLease(d.Job.LongestRun, d.Job.Lease), "  "))
	_, why := Retention(d.Job.Queue)
	fmt.Fprintf(b, "\nRetention to confirm: %s\n\n%s", jobfile.FormatDuration(d.Job.Retention), wrapped(why, "  "))
	if len(d.Notes) > 0 {
		b.WriteString("\nWorth knowing:\n\n")
		for _, n := range d.Notes {
			b.WriteString(wrapped(n, "  "))
		}
	}
	if len(d.ToFillIn) > 0 {
		b.WriteString("\n" + wrapped("Left open, and marked in the job file: "+strings.Join(d.ToFillIn, ", ")+".", ""))
	}
	b.WriteString("\nNext:\n\n")
	for i, step := range d.next() {
		b.WriteString(wrapped(fmt.Sprintf("%d. %s", i+1, step), "  "))
	}
}
