package report

import (
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

func TestRepeats(t *testing.T) {
	of := func(version, name, kind string, effects int) judge.Result {
		return judge.Result{Version: version, Case: name, Verdict: judge.Verdict{Verdict: judge.Violation, Kind: kind}, EffectsMin: effects, EffectsMax: effects}
	}
	twice := func(name string) judge.Result { return of("old", name, judge.Duplicate, 2) }
	for want, results := range map[string][]judge.Result{
		"": {of("old", "shutdown", judge.Lost, 0), of("new", "shutdown", judge.Duplicate, 2)},
		"old repeats the effect in 1 case: sequential (4 effects)":                               {of("old", "sequential", judge.Duplicate, 4), of("old", "shutdown", judge.Lost, 0)},
		"old repeats the effect in 3 cases: a (2 effects), b (2 effects), c (2 effects)":         {twice("a"), twice("b"), twice("c")},
		"old repeats the effect in 4 cases, such as a (2 effects), b (2 effects), c (2 effects)": {twice("a"), twice("b"), twice("c"), twice("d")},
	} {
		if got := Repeats(results, "old"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Only what the worker itself can tell leads to its log, and only what a setting may
// mend has a hint.
func TestHintAndLog(t *testing.T) {
	for _, c := range []struct {
		verdict, kind, why string
		hint, log          bool
	}{
		{judge.OK, "", "", false, false},
		{judge.Violation, judge.Duplicate, "2 effects, permitted 1", false, false},
		{judge.Violation, judge.Stuck, "0 effects and the record claimed, while its message goes round on the queue", false, true},
		{judge.Violation, judge.Lost, "0 effects, permitted 1", false, true},
		{judge.Violation, judge.Blocked, "a worker was still busy after 20s", true, true},
		{judge.Unknown, "", "a worker was still busy after 20s", true, true},
		{judge.Unknown, "", "the fault did not fire before the effect's request goes out", true, true},
		{judge.Unknown, "", "a call went past the stand-ins: GET /", false, true},
	} {
		r := judge.Result{Version: "new", Case: "late_finisher", Point: "after_effect", Verdict: judge.Verdict{Verdict: c.verdict, Kind: c.kind, Why: c.why}}
		log := ""
		if c.log {
			log = "logs/new-late_finisher-after_effect.log"
		}
		if got := hint(r); (got != "") != c.hint || printed(r) != log {
			t.Errorf("%+v: hint %q, log %q", c, got, printed(r))
		}
	}
}
