package judge_test

import (
	"testing"

	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestOverlapped(t *testing.T) {
	received := func(run int, worker, message string, copy int) Event {
		return onQueue(run, worker, message, copy, "received")
	}
	for _, c := range []struct {
		name   string
		events []Event
		want   int
	}{
		{"nothing", nil, 0},
		{"one message id twice", []Event{received(1, "A", "m", 1), received(1, "B", "m", 2)}, 1},
		{"two ids", []Event{received(1, "A", "m", 1), received(1, "B", "n", 1)}, 1},
		{"one after the other", []Event{received(1, "A", "m", 1), onQueue(1, "A", "m", 1, "deleted"), received(1, "B", "m", 2)}, 0},
		{"the first was put back before", []Event{received(1, "A", "m", 1), onQueue(1, "A", "m", 1, "visibility_changed"), received(1, "B", "m", 2)}, 0},
		{"the first ran out before", []Event{received(1, "A", "m", 1), onQueue(1, "A", "m", 1, "visibility_over"), received(1, "B", "m", 2)}, 0},
		{"one worker has both", []Event{received(1, "A", "m", 1), received(1, "A", "m", 2)}, 0},
		{"the same copy twice", []Event{received(1, "A", "m", 1), received(1, "B", "m", 1)}, 0},
		{"in two runs, not in one", []Event{received(1, "A", "m", 1), received(2, "B", "m", 2)}, 0},
		{"ended afterwards", []Event{received(1, "A", "m", 1), received(1, "B", "m", 2), onQueue(1, "A", "m", 1, "deleted")}, 1},
		{"a delete of nothing ends nothing", []Event{received(1, "A", "m", 1), onQueue(1, "", "m", 1, "delete_stale"), received(1, "B", "m", 2)}, 1},
		{"two runs of three", []Event{
			received(1, "A", "m", 1), received(1, "B", "m", 2), received(2, "A", "n", 1),
			received(3, "B", "o", 1), received(3, "A", "p", 1),
		}, 2},
		{"no run", []Event{received(0, "A", "m", 1), received(0, "B", "m", 2)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Overlapped(c.events); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
