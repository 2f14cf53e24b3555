package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/outside"
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
		{"an effect came after it", []Event{unknown(thenEffect), look(SeenEnd, twice)}, Unknown},
		{"none did", []Event{unknown(noEffect), look(SeenEnd, twice)}, Duplicate},
		{"one did after the look", []Event{unknown(noEffect), look(SeenYoung, claimed), look(SeenEnd, twice)}, Unknown},
		{"it came too late", []Event{look(SeenEnd, twice), unknown(thenEffect)}, Duplicate},
		{"it went elsewhere", []Event{unknown(""), look(SeenEnd, twice)}, Duplicate},
		{"another operation before it", []Event{lookAt("a", SeenEnd, twice), unknown(thenEffect), lookAt("b", SeenEnd, twice)}, Duplicate},
	} {
		got := Judge(plannedFor(job.Lookup, guarded, "sequential"), c.events)
		if got.Kind != c.want && got.Verdict != c.want || c.want == Unknown && !strings.Contains(got.Why, "outside.look_up") {
			t.Errorf("%s: got %+v, want %s", c.name, got, c.want)
		}
	}
}

// A look-up of what was made without a reference finds nothing, whatever was made.
func TestALookUpInVain(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	call := func(reference string, after time.Duration) outside.Call {
		return outside.Call{Reference: reference, At: at.Add(after)}
	}
	empty := outside.LookUp{At: at, Reference: "r1"}
	for _, c := range []struct {
		name  string
		asked outside.LookUp
		calls []outside.Call
		want  bool
	}{
		{"nothing was made", empty, nil, false},
		{"made without a reference", empty, []outside.Call{call("", -1)}, true},
		{"made afterwards", empty, []outside.Call{call("", 1)}, false},
		{"made with another one", empty, []outside.Call{call("", -2), call("r2", -1)}, false},
		{"found", outside.LookUp{At: at, Reference: "r1", Effect: "eff_1"}, []outside.Call{call("", -1)}, false},
		{"a fault of the case's", outside.LookUp{At: at, Reference: "r1", Fault: outside.LookUpFail}, []outside.Call{call("", -1)}, false},
	} {
		if got := inVain(c.asked, c.calls); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
