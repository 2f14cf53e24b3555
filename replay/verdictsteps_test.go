package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// struck is one run of every_step.
func struck(run int, name, where string, fired bool, looks ...Event) (events []Event) {
	events = []Event{{Event: EventFault, What: name, Detail: where, Fired: fired}}
	for i := range events {
		events[i].Run = run
	}
	for _, e := range looks {
		e.Run = run
		events = append(events, e)
	}
	return events
}

func TestJudgeSteps(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, EveryStep)
	fine := func(run int, name string) []Event {
		return struck(run, name, "at "+name, true, look(SeenFault, nothing), look(SeenEnd, completed))
	}
	twice := func(run int, name string) []Event {
		return struck(run, name, "at "+name, true, look(SeenFault, acted), look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 2 })))
	}
	gone := func(run int, name string) []Event {
		return struck(run, name, "at "+name, true, look(SeenFault, claimed), look(SeenEnd, with(claimed, func(s *Seen) { s.Queued = 0 })))
	}
	missed := func(run int, name string) []Event {
		return struck(run, name, "at "+name+" was not reached", false)
	}
	for _, c := range []struct {
		name    string
		events  []Event
		verdict string
		kind    string
		why     string
	}{
		{"nothing was recorded", nil, Unknown, "", "no step was recorded"},
		{"all fine", slices.Concat(fine(3, "1-before"), fine(4, "1-after")), OK, "", ""},
		{"neighbours are one window", slices.Concat(fine(3, "1-before"), twice(4, "1-after"), twice(5, "2-before"), fine(6, "2-after")), Violation, Duplicate, "struck anywhere from at 1-after to at 2-before: 2 effects"},
		{"two windows", slices.Concat(twice(3, "1-after"), fine(4, "2-after"), twice(5, "3-after")), Violation, Duplicate, "struck at 1-after: 2 effects, permitted 1; struck at 3-after"},
		{"one place, struck twice", slices.Concat(fine(2, "1-before"), twice(3, "1-after"), twice(4, "1-after"), fine(5, "2-after")), Violation, Duplicate, "struck at 1-after: 2 effects"},
		{"the worst kind is told", slices.Concat(gone(3, "1-after"), twice(4, "2-after")), Violation, Duplicate, "struck at 2-after"},
		{"a place that was not reached", slices.Concat(fine(3, "1-before"), missed(4, "1-after")), Unknown, "", "1-after was not reached"},
		{"a violation beside it", slices.Concat(missed(3, "1-before"), twice(4, "1-after")), Violation, Duplicate, "struck at 1-after"},
		{"reached at the second try", slices.Concat(missed(3, "1-before"), fine(4, "1-before")), OK, "", ""},
	} {
		got := Judge(p, c.events)
		if got.Verdict != c.verdict || got.Kind != c.kind || !strings.HasPrefix(got.Why, c.why) && !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestStepFacts(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, EveryStep)
	events := slices.Concat([]Event{{Event: EventRecorded, Detail: "1 steps recorded"}},
		struck(3, "1-after", "after step 1", true, look(SeenFault, acted), look(SeenEnd, completed)))
	r := NewResult(p, events)
	if r.Runs != 1 || len(r.Facts) != 2 || !strings.HasPrefix(r.Facts[1], "after step 1: at the fault: 1 effect") {
		t.Errorf("%+v", r)
	}
}
