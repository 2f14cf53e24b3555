package replay

import (
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// A worker that charges again when its message is done with is caught, though every
// look at an end came before. The one that does not is ok (TestARightRaceIsNotHeldUp).
func TestWhatAWorkerDoesAfterwardsIsCounted(t *testing.T) {
	t.Parallel()
	got, events := raceOf(t, "afterwards", 2)
	if got.Kind != judge.Duplicate {
		t.Errorf("got %+v", got.Verdict)
	}
	for _, e := range events {
		if e.Seen != nil && e.Seen.When == judge.SeenEnd && e.Seen.Effects == 1 {
			return
		}
	}
	t.Error("no look at an end came before: the test shows nothing")
}
