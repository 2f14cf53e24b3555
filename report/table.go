package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// Paint colours a verdict for a terminal; Plain leaves it.
type Paint func(verdict, text string) string

// Plain is for anything but a terminal.
func Plain(_, text string) string { return text }

// Colours are those of a terminal.
func Colours(verdict, text string) string {
	code := map[string]string{judge.OK: "32", judge.Violation: "31", judge.Unknown: "33"}[verdict]
	if code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// WriteTable writes one line a case, the versions side by side, and below it what
// the cases about a claim's age showed and why each case is not ok: in full for the
// version that is judged, in a line for the others. The sentences that sum it up are
// the last lines, where a terminal shows them.
func WriteTable(w io.Writer, r Report, paint Paint) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %s · %s · lease %s\n%s\n\n", visible.Line(r.Job), r.Queue, r.Database, policy(r), lease(r), origin(r))
	versions := Versions(r.Results)
	widths := columnWidths(r.Results, versions)
	writeRow(&b, widths, append([]string{"case"}, versions...), Plain, nil)
	for _, row := range rows(r.Results, versions) {
		writeRow(&b, widths, row.cells, paint, row.verdicts)
	}
	writeClaims(&b, r.Results)
	writeFindings(&b, r)
	b.WriteString("\n")
	for _, v := range versions {
		b.WriteString(sentence(r, v) + "\n")
		if text := Repeats(r.Results, v); text != "" {
			b.WriteString(text + "\n")
		}
	}
	b.WriteString(Limit + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func lease(r Report) time.Duration { return ms(r.LeaseMS) }

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func policy(r Report) string {
	if r.Policy == "" {
		return "own row, so no policy"
	}
	return "policy " + r.Policy
}

type row struct {
	cells, verdicts []string
}

func rows(results []judge.Result, versions []string) []row {
	var out []row
	at := map[string]int{}
	for _, r := range results {
		i, known := at[r.Label()]
		if !known {
			i = len(out)
			at[r.Label()] = i
			out = append(out, row{
				cells:    append([]string{r.Label()}, make([]string, len(versions))...),
				verdicts: make([]string, len(versions)+1),
			})
		}
		for v, name := range versions {
			if name == r.Version {
				out[i].cells[v+1], out[i].verdicts[v+1] = cell(r), r.Verdict.Verdict
			}
		}
	}
	return out
}

func cell(r judge.Result) string { return strings.TrimRight(outcome(r)+"  "+numbers(r), " ") }

func columnWidths(results []judge.Result, versions []string) []int {
	widths := make([]int, len(versions)+1)
	widths[0] = len("case")
	for i, v := range versions {
		widths[i+1] = len(v)
	}
	for _, row := range rows(results, versions) {
		for i, c := range row.cells {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	return widths
}

func writeRow(b *strings.Builder, widths []int, cells []string, paint Paint, verdicts []string) {
	for i, c := range cells {
		padding := strings.Repeat(" ", widths[i]-len([]rune(c))+2)
		if verdicts != nil {
			c = paint(verdicts[i], c)
		}
		if i == len(cells)-1 {
			padding = ""
		}
		b.WriteString("  " + c + padding)
	}
	b.WriteString("\n")
}

// writeClaims shows the claim's age, its lease and what came of it, for the cases
// that are about them.
func writeClaims(b *strings.Builder, results []judge.Result) {
	for _, r := range results {
		if !r.Guarded || len(r.Facts) == 0 || r.Case != "young_claim" && r.Case != "old_claim" {
			continue
		}
		fmt.Fprintf(b, "\n%s/%s\n", r.Version, r.Label())
		for _, fact := range r.Facts {
			fmt.Fprintf(b, "  %s\n", visible.Line(fact))
		}
	}
}

func writeFindings(b *strings.Builder, r Report) {
	var others []string
	mine := false // is there one of the judged version
	for _, result := range r.Results {
		if result.Verdict.Verdict != judge.Violation && result.Verdict.Verdict != judge.Unknown {
			continue
		}
		finding := fmt.Sprintf("%s/%s: %s: %s\n", result.Version, result.Label(), outcome(result), visible.Line(result.Why))
		if result.Version != r.Judged {
			others = append(others, finding)
			continue
		}
		fmt.Fprintf(b, "\n%s", finding)
		for _, more := range []struct{ what, text string }{{"hint", hint(result)}, {"log", printed(result)}, {"rerun", result.Rerun}} {
			if more.text != "" {
				fmt.Fprintf(b, "  %s: %s\n", more.what, visible.Line(more.text))
			}
		}
		mine = true
	}
	if mine && r.RerunHow != "" {
		b.WriteString("\n" + r.RerunHow + "\n")
	}
	if len(others) > 0 {
		b.WriteString("\n" + strings.Join(others, ""))
	}
}
