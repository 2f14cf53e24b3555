package sqs

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

func TestDue(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(after time.Duration, kind queue.Kind, copy int, visibility time.Duration) queue.Event {
		return queue.Event{At: start.Add(after), Kind: kind, Message: "m", Copy: copy, For: visibility}
	}
	const s = time.Second
	for _, c := range []struct {
		name string
		log  []queue.Event
		want time.Duration // and a millisecond
		any  bool
	}{
		{"nothing", nil, 0, false},
		{"sent only", []queue.Event{at(0, queue.Sent, 1, 0)}, 0, false},
		{"in hand", []queue.Event{at(0, queue.Received, 1, 30*s)}, 20 * s, true},
		{"put back", []queue.Event{at(0, queue.Received, 1, 30*s), at(5*s, queue.VisibilityChanged, 1, 60*s)}, 55 * s, true},
		{"deleted", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.Deleted, 1, 0)}, 0, false},
		{"given up", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.DeadLettered, 1, 0)}, 0, false},
		{"visible again", []queue.Event{at(0, queue.Received, 1, 5*s), at(5*s, queue.VisibilityOver, 1, 0)}, 0, false},
		{"purged", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.Purged, 1, 0)}, 0, false},
		{"too old", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.RetentionOver, 1, 0)}, 0, false},
		{"the next of two copies", []queue.Event{at(0, queue.Received, 1, 90*s), at(0, queue.Received, 2, 30*s)}, 20 * s, true},
		{"overdue", []queue.Event{at(0, queue.Received, 1, 5*s)}, 0, true},
		{"the last receive counts", []queue.Event{at(0, queue.Received, 1, 5*s), at(5*s, queue.VisibilityOver, 1, 0), at(6*s, queue.Received, 1, 30*s)}, 26 * s, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, any := due(c.log, start.Add(10*s))
			if want := c.want + time.Millisecond; any != c.any || any && got != want {
				t.Errorf("got %s, %t; want %s, %t", got, any, want, c.any)
			}
		})
	}
}
