package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/job"
)

// doctorResult is described in docs/json.md.
type doctorResult struct {
	Schema   string           `json:"schema"`
	Jobs     []string         `json:"jobs"` // of the job file
	Table    string           `json:"table"`
	LookedAt []lookedAt       `json:"looked_at"`
	Findings []doctor.Finding `json:"findings"`
	Gaps     []doctor.Gap     `json:"could_not_check"`
}

func (f doctorFlags) tell(report doctor.Report, looked []lookedAt, jobs []job.Job, table string) error {
	r := doctorResult{doctorSchema, make([]string, len(jobs)), table, looked, report.Findings, report.Gaps}
	for i, j := range jobs {
		r.Jobs[i] = j.Type
	}
	if r.LookedAt == nil {
		r.LookedAt = []lookedAt{}
	}
	if r.Findings == nil {
		r.Findings = []doctor.Finding{}
	}
	if r.Gaps == nil {
		r.Gaps = []doctor.Gap{}
	}
	if err := show(f.std.out, f.json, r, func(w io.Writer) error { return r.text(w, report) }); err != nil {
		return err
	}
	switch {
	case report.Serious() > 0:
		return &statusError{statusFound}
	case report.Untold():
		return &statusError{statusUnknown}
	}
	return nil
}

func (r doctorResult) text(w io.Writer, report doctor.Report) error {
	var b strings.Builder
	for _, f := range r.Findings {
		can := string(f.Severity)
		if f.Accepted {
			can += ", accepted"
		}
		fmt.Fprintf(&b, "%s: %s (%s)\n", can, f.ID, f.Subject)
		for _, part := range []struct{ head, text string }{{"what", f.What}, {"why", f.Why}, {"mend", f.Mend}} {
			paragraph(&b, "  "+part.head+strings.Repeat(" ", 6-len(part.head)), part.text)
		}
		if f.Voids {
			paragraph(&b, "        ", "While this is so, nothing that a replay has shown holds here.")
		}
		fmt.Fprintln(&b)
	}
	if len(r.Gaps) > 0 {
		fmt.Fprintln(&b, "not checked:")
		for _, g := range r.Gaps {
			matters := ""
			if g.Matters {
				matters = " It matters."
			}
			paragraph(&b, "  "+g.ID+": ", g.Reason+"."+matters)
		}
		fmt.Fprintln(&b)
	}
	for _, l := range r.LookedAt {
		fmt.Fprintf(&b, "looked at %s\n", l.Is)
	}
	fmt.Fprintln(&b, r.summary(report))
	_, err := io.WriteString(w, b.String())
	return err
}

func (r doctorResult) summary(report doctor.Report) string {
	count := map[doctor.Severity]int{}
	accepted := 0
	for _, f := range r.Findings {
		if f.Accepted {
			accepted++
		} else {
			count[f.Severity]++
		}
	}
	var parts []string
	for _, s := range []struct {
		is    doctor.Severity
		words string
	}{{doctor.Repeats, "can repeat"}, {doctor.Loses, "can lose"}, {doctor.Blocks, "can block"}} {
		if n := count[s.is]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing that can repeat, lose or block")
	}
	if n := count[doctor.Note]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d to note", n))
	}
	if accepted > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted", accepted))
	}
	text := "found: " + strings.Join(parts, ", ")
	if report.Untold() {
		text += "; not all that matters could be checked"
	}
	return text
}

// paragraph writes a text in lines that a terminal shows whole; the later ones are
// indented as far as the head is wide.
func paragraph(b *strings.Builder, head, text string) {
	const width, most = 96, 24
	indent, line := strings.Repeat(" ", min(len(head), most)), head
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len(line)+1+len(word) > width {
			fmt.Fprintln(b, line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(b, line)
}
