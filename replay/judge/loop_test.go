package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestJudgeHotLoop(t *testing.T) {
	received := func(n int, message string, each int64) (events []Event) {
		for i := range n {
			e := onQueue(0, "A", message, 1, "received")
			e.MS = 7 + int64(i)*each
			events = append(events, e)
		}
		return events
	}
	for _, c := range []struct {
		name    string
		version replay.Version
		events  []Event
		why     string // of stuck
	}{
		{"at the limit", guarded, received(HotLoopAt, "m", 1), ""},
		{"over it", guarded, received(HotLoopAt+1, "m", 1), "received again at once more than 20 times"},
		{"two messages", guarded, slices.Concat(received(HotLoopAt, "m", 1), received(HotLoopAt, "n", 1)), ""},
		{"time passed", guarded, slices.Concat(received(HotLoopAt, "m", 1), []Event{passed(1)}, received(HotLoopAt, "m", 1)), ""},
		{"the lease is over each time", guarded, received(HotLoopAt+1, "m", lease), "every 2m0s: each run takes longer than the lease of 2m0s"},
		{"old code has no lease", unguarded, received(HotLoopAt+1, "m", lease), "every 2m0s, and was not done with"},
		{"neither at once nor over the lease", guarded, received(HotLoopAt+1, "m", 2000), "every 2s, and was not done with"},
	} {
		end := completed
		if !c.version.Guarded {
			end = effectsOf(1)
		}
		got := Of(plannedFor(job.Lookup, c.version, "sequential"), append(c.events, look(SeenEnd, end)))
		if (got.Kind == Stuck) != (c.why != "") || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.why)
		}
	}
}
