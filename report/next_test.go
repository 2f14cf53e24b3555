package report

import (
	"testing"

	"github.com/twiceproof/twiceproof/replay"
)

func TestRepeats(t *testing.T) {
	of := func(version, name, kind string, effects int) replay.Result {
		return replay.Result{Version: version, Case: name, Verdict: replay.Verdict{Verdict: replay.Violation, Kind: kind}, EffectsMin: effects, EffectsMax: effects}
	}
	twice := func(name string) replay.Result { return of("old", name, replay.Duplicate, 2) }
	for want, results := range map[string][]replay.Result{
		"": {of("old", "shutdown", replay.Lost, 0), of("new", "shutdown", replay.Duplicate, 2)},
		"old repeats the effect in 1 case: sequential (4 effects)":                               {of("old", "sequential", replay.Duplicate, 4), of("old", "shutdown", replay.Lost, 0)},
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
		{replay.OK, "", "", false, false},
		{replay.Violation, replay.Duplicate, "2 effects, permitted 1", false, false},
		{replay.Violation, replay.Stuck, "0 effects and the record claimed, while its message goes round on the queue", false, true},
		{replay.Violation, replay.Lost, "0 effects, permitted 1", false, true},
		{replay.Violation, replay.Blocked, "a worker was still busy after 20s", true, true},
		{replay.Unknown, "", "a worker was still busy after 20s", true, true},
		{replay.Unknown, "", "the fault did not fire before the effect's request goes out", true, true},
		{replay.Unknown, "", "a call went past the stand-ins: GET /", false, true},
	} {
		r := replay.Result{Version: "new", Case: "late_finisher", Point: "after_effect", Verdict: replay.Verdict{Verdict: c.verdict, Kind: c.kind, Why: c.why}}
		log := ""
		if c.log {
			log = "logs/new-late_finisher-after_effect.log"
		}
		if got := hint(r); (got != "") != c.hint || printed(r) != log {
			t.Errorf("%+v: hint %q, log %q", c, got, printed(r))
		}
	}
}
