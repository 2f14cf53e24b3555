package judge_test

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// A worker that follows another policy than the replayed one is told so, and not that
// what it did was against the one that it has never seen.
func TestJudgeAnotherPolicy(t *testing.T) {
	p := plannedFor(job.Hold, guarded, "killed_after_effect")
	for _, c := range []struct {
		name  string
		fault func(*Seen)
		says  string
	}{
		{"the replayed one", func(s *Seen) { s.Policy = "hold" }, ""},
		{"a record without one", func(*Seen) {}, ""},
		{"another one", func(s *Seen) { s.Policy = "lookup" }, "made under the policy lookup, and hold is replayed"},
		{"another one, with its lease", func(s *Seen) { s.Policy, s.LeaseMS = "lookup", s.LeaseMS+30_000 }, "made under the policy lookup, and hold is replayed"},
	} {
		got := Of(p, []Event{faultFired(), look(SeenFault, with(acted, c.fault)), look(SeenEnd, with(held, func(s *Seen) { s.Effects = 1 }))})
		if (got.Kind == AgainstPolicy) != (c.says != "") || !strings.Contains(got.Why, c.says) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	for _, quiet := range []Planned{plannedFor(job.Hold, unguarded, "killed_after_effect"), plannedFor("", guarded, "killed_after_effect")} {
		if v := WrongPolicy(quiet, with(acted, func(s *Seen) { s.Policy = "lookup" })); v.Verdict != "" {
			t.Errorf("%+v", v)
		}
	}
}
