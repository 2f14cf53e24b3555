package judge_test

import (
	"slices"
	"testing"

	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestRunOrder(t *testing.T) {
	plan := Plan{Cases: []Planned{{Version: "old", Case: "a"}, {Version: "new", Case: "a"}, {Version: "old", Case: "b", Point: "x"}, {Version: "new", Case: "b", Point: "x"}}}
	for _, c := range []struct{ first, want []string }{
		{nil, []string{"old/a", "new/a", "old/b/x", "new/b/x"}},
		{[]string{"new/b/x", "old/b/x"}, []string{"new/b/x", "old/b/x", "old/a", "new/a"}},
		{[]string{"new/gone", "new/a"}, []string{"new/a", "old/a", "old/b/x", "new/b/x"}},
	} {
		plan.First = c.first
		var got []string
		var results []Result
		for _, p := range plan.InRunOrder() {
			got = append(got, p.Name())
			results = append(results, Result{Version: p.Version, Case: p.Case, Point: p.Point})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("first %q: run as %q, want %q", c.first, got, c.want)
		}
		for i, r := range plan.InOrder(results) {
			if r.Name() != plan.Cases[i].Name() {
				t.Errorf("first %q: line %d of the report is %s", c.first, i, r.Name())
			}
		}
	}
}
