package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// judgeJSON is described in docs/json.md.
type judgeJSON struct {
	Schema  string       `json:"schema"`
	Judged  string       `json:"judged"`
	Verdict string       `json:"verdict"`
	Differ  int          `json:"differ"` // cases whose verdict is not the stored one
	Cases   []judgedJSON `json:"cases"`
	Altered []string     `json:"altered"` // files that are not as the replay left them
}

type judgedJSON struct {
	Case string `json:"case"` // version/case/point
	judge.Verdict
	Stored *judge.Verdict `json:"stored"` // null: there was none
	Same   bool           `json:"same"`
}

func (r *judgeJSON) add(now judge.Result, before report.Report) {
	c := judgedJSON{Case: now.Version + "/" + now.Label(), Verdict: now.Verdict}
	i := slices.IndexFunc(before.Results, func(b judge.Result) bool { return b.Version == now.Version && b.Label() == now.Label() })
	if i >= 0 {
		c.Stored = &before.Results[i].Verdict
		c.Same = c.Stored.Verdict == now.Verdict.Verdict && c.Stored.Kind == now.Kind
	}
	if !c.Same {
		r.Differ++
	}
	r.Cases = append(r.Cases, c)
}

func (r judgeJSON) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range r.Cases {
		line := visible.Line(c.Case) + "\t" + verdictText(c.Verdict)
		switch {
		case c.Stored == nil:
			line += "\tno verdict was stored"
		case !c.Same:
			line += "\tstored: " + verdictText(*c.Stored)
		case c.Verdict.Verdict != judge.NotApplicable && c.Why != "":
			line += "\t" + visible.Line(c.Why)
		}
		fmt.Fprintln(t, line)
	}
	fmt.Fprintf(t, "%d of %d verdicts are as stored\n", len(r.Cases)-r.Differ, len(r.Cases))
	if len(r.Altered) > 0 {
		fmt.Fprintf(t, "not as the replay left them: %s\n", visible.Line(strings.Join(r.Altered, ", ")))
	}
	return t.Flush()
}

func verdictText(v judge.Verdict) string {
	if v.Verdict == judge.Violation {
		return v.Kind
	}
	return strings.ReplaceAll(v.Verdict, "_", " ")
}
