package replay

import (
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// A worker that charges again when its message is done with is caught, though every
// look at an end came before. The one that does not is ok (TestARightRaceIsNotHeldUp).
func TestWhatAWorkerDoesAfterwardsIsCounted(t *testing.T) {
	t.Parallel()
	got, events := raceOf(t, "afterwards", 2)
	if got.Kind != Duplicate {
		t.Errorf("got %+v", got.Verdict)
	}
	for _, e := range events {
		if e.isLook() && e.Seen.When == SeenEnd && e.Seen.Effects == 1 {
			return
		}
	}
	t.Error("no look at an end came before: the test shows nothing")
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
