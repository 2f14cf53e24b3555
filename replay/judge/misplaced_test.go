package judge_test

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// A case whose fault was not where its name says proves nothing, however well it ended.
func TestJudgeMisplacedFault(t *testing.T) {
	done := with(completed, func(s *Seen) { s.Token = "t1" })
	twice := with(completed, func(s *Seen) { s.Effects = 2 })
	for _, c := range []struct {
		planned string
		version replay.Version
		right   Seen // at the fault
		wrong   Seen
		why     string
	}{
		{"killed_after_effect", guarded, acted, claimed, "the effect was not there yet"},
		{"killed_after_effect", unguarded, effectsOf(1), nothing, "the effect was not there yet"},
		{"late_finisher/after_effect", guarded, acted, claimed, "the effect was not there yet"},
		{"shutdown", guarded, acted, claimed, "the effect was not there yet"},
		{"unknown_outcome/dropped", guarded, acted, claimed, "the effect was not there yet"},
		{"unknown_outcome/status_500", guarded, acted, claimed, "the effect was not there yet"},
		{"unknown_outcome/refused", guarded, claimed, Seen{}, ""},
		{"killed_after_claim", guarded, claimed, nothing, "no claim had been committed"},
		{"killed_after_claim", guarded, claimed, acted, "the effect was there already"},
		{"killed_after_claim", unguarded, nothing, effectsOf(1), "the effect was there already"},
		{"no_redelivery", guarded, claimed, nothing, "no claim had been committed"},
		{"old_claim", guarded, claimed, nothing, "no claim had been committed"},
		{"killed_after_completion", guarded, done, acted, "the operation was not completed"},
		{"killed_after_completion", guarded, done, nothing, "the effect was not there yet"},
		{"killed_after_completion", unguarded, effectsOf(1), nothing, "the effect was not there yet"},
		{"killed_after_completion/unheard", guarded, done, acted, "the operation was not completed"},
		{"lost_reply/claim", guarded, claimed, nothing, "no claim had been committed"},
		{"lost_reply/completion", guarded, done, acted, "the operation was not completed"},
	} {
		p := plannedFor(job.Lookup, c.version, c.planned)
		judge := func(fault, end Seen) Verdict {
			if !c.version.Guarded {
				end = effectsOf(end.Effects)
			}
			return Of(p, []Event{faultFired(), look(SeenFault, fault), look(SeenEnd, end)})
		}
		if got := judge(c.right, done); got.Verdict != OK {
			t.Errorf("%s %s: the fault is where it should be: %+v", c.version.Name, c.planned, got)
		}
		if c.why == "" {
			continue
		}
		if got := judge(c.wrong, done); got.Verdict != Unknown || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s %s: got %+v, want unknown: %s", c.version.Name, c.planned, got, c.why)
		}
		if got := judge(c.wrong, twice); got.Kind != Duplicate {
			t.Errorf("%s %s: a repeat is a finding wherever the fault was: %+v", c.version.Name, c.planned, got)
		}
	}
}
