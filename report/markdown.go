package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// WriteMarkdown writes the report for a pull request: the sentence first, then the
// table, then what each case showed. It fits a comment, however many places were struck.
func WriteMarkdown(w io.Writer, r Report) error {
	r = inText(r)
	text := markdown(r)
	for most := 100; len(text) > largestComment && most > 0; most /= 5 {
		text = markdown(shortened(r, most))
	}
	if len(text) > largestComment {
		text = text[:strings.LastIndexByte(text[:largestComment], '\n')] + "\n\nThe rest is in report.html and result.json.\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// largestComment is below the 65,536 characters that GitHub takes, by what is added to it.
const largestComment = 60_000

// shortened has so many facts of each case, and reasons of a length to match.
func shortened(r Report, most int) Report {
	const rest, perFact = "; the rest is in report.html and result.json", 100
	r.Results, r.CannotSee = slices.Clone(r.Results), few(r.CannotSee, most)
	for i := range r.Results {
		one := &r.Results[i]
		one.Facts = few(one.Facts, most)
		if why := []rune(one.Why); len(why) > most*perFact {
			one.Why = string(why[:most*perFact]) + "…" + rest
		}
	}
	return r
}

// inText has nothing in it that a page would obey. Counter-example: a worker prints <!-- in its
// last line; quoted as it is, it hides all that comes after it.
func inText(r Report) Report {
	shown := func(text string) string { return strings.ReplaceAll(visible.Line(text), "<", "&lt;") }
	r.Job, r.Results, r.CannotSee = visible.Line(r.Job), slices.Clone(r.Results), mapped(r.CannotSee, shown)
	for i := range r.Results {
		r.Results[i].Why, r.Results[i].Facts = shown(r.Results[i].Why), mapped(r.Results[i].Facts, shown)
	}
	return r
}

func mapped(lines []string, each func(string) string) []string {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i] = each(lines[i])
	}
	return lines
}

func few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("… and %d more, in report.html and result.json", len(lines)-most))
}

func markdown(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Replay of %s\n\n%s\n\n", inCode(r.Job), origin(r))
	for _, v := range Versions(r.Results) {
		fmt.Fprintf(&b, "**%s.** ", sentence(r, v))
	}
	fmt.Fprintf(&b, "%s.\n\n", Limit)
	for _, v := range Versions(r.Results) {
		if text := Repeats(r.Results, v); text != "" {
			fmt.Fprintf(&b, "%s.\n\n", text)
		}
	}
	writeTable(&b, r)
	writeChecks(&b, r)
	fmt.Fprintf(&b, "\n## The policy for a stale claim\n\n%s\n\nLease: %s; in the record %s, with the time that the service may need to show a call.\nWhat is permitted was written into plan.json before the first worker started.\n",
		strings.TrimSpace(r.PolicyText), lease(r), ms(r.StoredLeaseMS))
	writeCases(&b, r)
	writeLegend(&b)
	writeLimits(&b, r)
	return b.String()
}

func writeTable(b *strings.Builder, r Report) {
	versions := Versions(r.Results)
	fmt.Fprintf(b, "| case | %s |\n|---|%s\n", strings.Join(versions, " | "), strings.Repeat("---|", len(versions)))
	for _, row := range rows(r.Results, versions) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row.cells, " | "))
	}
}

func writeCases(b *strings.Builder, r Report) {
	b.WriteString("\n## What each case showed\n")
	if r.RerunHow != "" {
		fmt.Fprintf(b, "\n%s\n", r.RerunHow)
	}
	for _, result := range r.Results {
		fmt.Fprintf(b, "\n### %s/%s: %s\n\n", result.Version, result.Label(), outcome(result))
		if result.Verdict.Verdict == judge.NotApplicable {
			fmt.Fprintf(b, "%s.\n", result.Why)
			continue
		}
		fmt.Fprintf(b, "What happens: %s. Ok when: %s.\n\n", result.What, result.OK)
		if result.Why != "" {
			fmt.Fprintf(b, "%s.\n\n", result.Why)
		}
		if text := hint(result); text != "" {
			fmt.Fprintf(b, "Hint: %s.\n\n", text)
		}
		if file := printed(result); file != "" {
			fmt.Fprintf(b, "What its workers printed: `%s` in the evidence folder.\n\n", file)
		}
		fmt.Fprintf(b, "Effects: %s; permitted: %s. Redelivery: %s.", numbers(result), permitted(result), result.Redelivery)
		if result.FaultFired {
			b.WriteString(" The fault fired.")
		}
		b.WriteString("\n")
		for i, fact := range result.Facts {
			if i == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(b, "%d. %s\n", i+1, factText(result, fact))
		}
		fmt.Fprintf(b, "\nRerun: %s\n", inCode(result.Rerun))
	}
}

// inCode: a command may have a backquote in it, which ends a piece of code.
func inCode(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

func permitted(r judge.Result) string {
	texts := make([]string, len(r.AllowedEffects))
	for i, n := range r.AllowedEffects {
		texts[i] = fmt.Sprint(n)
	}
	return strings.Join(texts, " or ")
}

func writeLimits(b *strings.Builder, r Report) {
	b.WriteString("\n## What this replay could not see\n\n")
	for _, line := range r.CannotSee {
		fmt.Fprintf(b, "- %s\n", line)
	}
	b.WriteString("\n## Versions\n\n")
	for _, name := range slices.Sorted(maps.Keys(r.Platform)) {
		fmt.Fprintf(b, "- %s: %s\n", name, r.Platform[name])
	}
}
