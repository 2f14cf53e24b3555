package judge_test

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// Of several operations the one that failed is named, so that a space is seen.
func TestTheOneThatFailedIsNamed(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, TwoOperations)
	for _, c := range []struct {
		events []Event
		want   string
	}{
		{[]Event{lookAt("a", SeenEnd, completed), lookAt("a ", SeenEnd, nothing)}, `; of 2 operations the one with the key "a "`},
		{[]Event{lookAt("e\u0301", SeenEnd, nothing), lookAt("a", SeenEnd, nothing)}, `; of 2 operations 2, among them the one with the key "e\u0301"`},
		{[]Event{lookAt("a", SeenEnd, nothing)}, "no message is left"},
	} {
		if v := Of(p, c.events); !strings.Contains(v.Why+";", c.want+";") {
			t.Errorf("got %q, want %q", v.Why, c.want)
		}
	}
}

func TestJudgeAfterwards(t *testing.T) {
	twice := with(completed, func(s *Seen) { s.Effects = 2 })
	p := plannedFor(job.Lookup, guarded, "sequential")
	r := NewResult(p, []Event{look(SeenEnd, completed), look(SeenAfter, twice)})
	if r.Kind != Duplicate || r.EffectsMin != 2 || r.EffectsMax != 2 {
		t.Errorf("got %+v, %d to %d effects", r.Verdict, r.EffectsMin, r.EffectsMax)
	}
	once := plannedFor(job.Lookup, unguarded, "sequential")
	if r := NewResult(once, []Event{look(SeenEnd, nothing)}); r.Kind != Lost {
		t.Errorf("it never came: %+v", r.Verdict)
	}
	if r := NewResult(once, []Event{look(SeenEnd, nothing), look(SeenAfter, effectsOf(1))}); r.Verdict.Verdict != OK || r.Effects != 1 {
		t.Errorf("it came a moment later: %+v, %d effects", r.Verdict, r.Effects)
	}
	if r := NewResult(p, []Event{look(SeenEnd, completed), look(SeenAfter, with(claimed, func(s *Seen) { s.Effects, s.Queued = 2, 0 }))}); r.Kind != Duplicate {
		t.Errorf("too many a moment later: %+v", r.Verdict)
	}
	late := NewResult(plannedFor(job.Lookup, guarded, "late_finisher/before_effect"), []Event{
		faultFired(), look(SeenFault, claimed), look(SeenEnd, completed), look(SeenAfter, with(twice, func(s *Seen) { s.Late = true })),
	})
	if late.Verdict.Verdict != OK {
		t.Errorf("permitted at the end, and permitted a moment later: %+v", late.Verdict)
	}
}

// Where a call was not understood nothing is said of collations; where an effect is missing it is.
func TestCollationIsNoReasonBesideAnother(t *testing.T) {
	p := Planned{Case: TwoOperations}
	lost := Verdict{Verdict: Violation, Kind: Lost, Why: "0 effects"}
	if got := WithCollation(p, lost, nil); got.Why == lost.Why {
		t.Errorf("nothing is said of a collation: %+v", got)
	}
	if got := WithCollation(p, lost, []Event{{Event: EventUnproxied, Detail: "POST /other"}}); got.Why != lost.Why {
		t.Errorf("got %+v", got)
	}
}

// What could not be read hides nothing that was seen before, and is the reason where a fault
// did not fire for it.
func TestUnreadIsADoubt(t *testing.T) {
	unread := Event{Event: EventUnread, Detail: "the replay waited in vain"}
	p := plannedFor(job.Lookup, guarded, "killed_after_effect")
	if v := Of(p, []Event{unread}); v.Verdict != Unknown || v.Why != unread.Detail {
		t.Errorf("before the fault: %+v", v)
	}
	fault := Event{Event: EventFault, Fired: true}
	if v := Of(p, []Event{fault, look(SeenFault, acted), unread}); v.Verdict != Unknown || v.Why != unread.Detail {
		t.Errorf("after it: %+v", v)
	}
	if v := Of(p, []Event{fault, look(SeenFault, acted), look(SeenEnd, effectsOf(2)), unread}); v.Kind != Duplicate {
		t.Errorf("after a second effect: %+v", v)
	}
	steps := plannedFor(job.Lookup, guarded, EveryStep)
	struck := Event{Event: EventFault, Run: 2, What: "1-after", Detail: "after step 1", Fired: true}
	if v := Of(steps, []Event{struck, {Event: EventUnread, Run: 2, Detail: unread.Detail}}); v.Why != "struck after step 1: "+unread.Detail {
		t.Errorf("at a place: %+v", v)
	}
	if v := Of(steps, []Event{unread}); v.Why != unread.Detail {
		t.Errorf("while it was recorded: %+v", v)
	}
}

// Every moment that a look can show is in the plan, so that a verdict always finds
// its ends.
func TestEveryMomentIsPlanned(t *testing.T) {
	for _, queue := range []job.Queue{job.SQS, job.Sidekiq, job.Celery, job.RQ} {
		for _, p := range planOf(queue, job.Hold) {
			if p.NotApplicable != "" {
				continue
			}
			for _, s := range everySeen(p.Guarded) {
				if len(EndsOf(p, s.Moment())) == 0 {
					t.Errorf("%s on %s: nothing is planned for %+v", p.Name(), queue, s.Moment())
				}
			}
		}
	}
}

func everySeen(guarded bool) []Seen {
	all := []Seen{{}, {Effects: 1}, {Effects: 3}}
	if !guarded {
		return all
	}
	for _, state := range []string{"claimed", job.EndHeld, job.EndCompleted} {
		all = append(all, Seen{Records: 1, State: state}, Seen{Records: 1, State: state, Effects: 1}, Seen{Records: 2, State: state})
	}
	return all
}
