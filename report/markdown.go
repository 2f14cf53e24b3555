package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay"
)

// WriteMarkdown writes the report for a pull request: the sentence first, then the
// table, then what each case showed. It stays far below the 64 KB that a comment
// may have.
func WriteMarkdown(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Replay of `%s`\n\n%s\n\n", r.Job, origin(r))
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
	_, err := io.WriteString(w, b.String())
	return err
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
		if result.Verdict.Verdict == replay.NotApplicable {
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

func permitted(r replay.Result) string {
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
