package judge_test

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// Too many effects are no finding where they may come from a call that the replay file
// does not name, or names wrongly.
func TestJudgeMisled(t *testing.T) {
	unknown := func(what string) Event {
		return Event{Event: EventUnproxied, What: what, Detail: "GET /xx/1 is neither outside.act nor outside.look_up"}
	}
	twice := with(completed, func(s *Seen) { s.Effects = 2 })
	for _, c := range []struct {
		name   string
		events []Event
		want   string
	}{
		{"an effect came after it", []Event{unknown(ThenEffect), look(SeenEnd, twice)}, Unknown},
		{"none did", []Event{unknown(NoEffect), look(SeenEnd, twice)}, Duplicate},
		{"one did after the look", []Event{unknown(NoEffect), look(SeenYoung, claimed), look(SeenEnd, twice)}, Unknown},
		{"it came too late", []Event{look(SeenEnd, twice), unknown(ThenEffect)}, Duplicate},
		{"it went elsewhere", []Event{unknown(""), look(SeenEnd, twice)}, Duplicate},
		{"another operation before it", []Event{lookAt("a", SeenEnd, twice), unknown(ThenEffect), lookAt("b", SeenEnd, twice)}, Duplicate},
	} {
		got := Of(plannedFor(job.Lookup, guarded, "sequential"), c.events)
		if got.Kind != c.want && got.Verdict != c.want || c.want == Unknown && !strings.Contains(got.Why, "outside.look_up") {
			t.Errorf("%s: got %+v, want %s", c.name, got, c.want)
		}
	}
}
