package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
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
	often := func(effects, run int, name string) []Event {
		return struck(run, name, "at "+name, true, look(SeenFault, acted), look(SeenEnd, with(completed, func(s *Seen) { s.Effects = effects })))
	}
	twice := func(run int, name string) []Event { return often(2, run, name) }
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
		{"a neighbour with more", slices.Concat(twice(3, "1-after"), often(3, 4, "2-after"), twice(5, "3-after")), Violation, Duplicate, "struck at 1-after: 2 effects, permitted 1; struck at 2-after: 3 effects, permitted 1; struck at 3-after: 2"},
		{"one place, struck twice", slices.Concat(fine(2, "1-before"), twice(3, "1-after"), twice(4, "1-after"), fine(5, "2-after")), Violation, Duplicate, "struck at 1-after: 2 effects"},
		{"the worst kind is told", slices.Concat(gone(3, "1-after"), twice(4, "2-after")), Violation, Duplicate, "struck at 2-after"},
		{"a place that was not reached", slices.Concat(fine(3, "1-before"), missed(4, "1-after")), Unknown, "", "1-after was not reached"},
		{"a violation beside it", slices.Concat(missed(3, "1-before"), twice(4, "1-after")), Violation, Duplicate, "struck at 1-after"},
		{"reached at the second try", slices.Concat(missed(3, "1-before"), fine(4, "1-before")), OK, "", ""},
	} {
		got := Of(p, c.events)
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

// A second kill whose place does not come proves nothing of the pair; what came of the first
// one is a finding all the same.
func TestASecondKillThatDoesNotFireIsUnknown(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, EveryStep)
	again := Event{Event: EventFault, Fired: true, Detail: "the second kill"}
	missed := Event{Event: EventFault, What: "1-after+2-after", Detail: "the pair was not reached"}
	twice := look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 2 }))
	for _, c := range []struct {
		name    string
		events  []Event
		verdict string
	}{
		{"it fires", []Event{look(SeenFault, acted), again, look(SeenEnd, completed)}, OK},
		{"it does not", []Event{look(SeenFault, acted), look(SeenEnd, completed), missed}, Unknown},
		{"it does not, and there is a finding", []Event{look(SeenFault, acted), twice, missed}, Violation},
	} {
		r := NewResult(p, struck(3, "1-after+2-after", "after step 1", true, c.events...))
		if r.Verdict.Verdict != c.verdict || len(r.Facts) != 1 || strings.Contains(r.Facts[0], "not reached") != (c.verdict != OK) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// The first place of pairs is struck alone twice. What could not be told of the first run is not
// made good by the second one; a place that was missed, and comes the second time, is.
func TestAloneTwice(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, EveryStep)
	fine := struck(4, "1-after", "after step 1", true, look(SeenFault, acted), look(SeenEnd, completed))
	for _, c := range []struct {
		name    string
		first   []Event
		verdict string
		runs    int
	}{
		{"both are ok", struck(3, "1-after", "after step 1", true, look(SeenFault, acted), look(SeenEnd, completed)), OK, 1},
		{"the first one's worker was busy", struck(3, "1-after", "after step 1", true, Event{Event: EventTimeout, Detail: "a worker was still busy after 20s"}), Unknown, 2},
		{"the first one was missed", struck(3, "1-after", "after step 1 was not reached; tried once more", false, look(SeenEnd, completed)), OK, 1},
	} {
		if r := NewResult(p, append(c.first, fine...)); r.Verdict.Verdict != c.verdict || r.Runs != c.runs {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// A place that was named and is not there makes the others no proof.
func TestAPlaceThatIsNotThereIsUnknown(t *testing.T) {
	fine := struck(3, "3-after", "after step 3", true, look(SeenFault, nothing), look(SeenEnd, completed))
	p := plannedFor(job.Lookup, guarded, EveryStep)
	if v := Of(p, fine); v.Verdict != OK {
		t.Fatalf("the control: %+v", v)
	}
	none := Event{Event: EventFault, Run: 1, What: "999-after", Detail: "there is no place 999-after"}
	if v := Of(p, append([]Event{none}, fine...)); v.Verdict != Unknown || !strings.Contains(v.Why, none.Detail) {
		t.Errorf("%+v", v)
	}
}
