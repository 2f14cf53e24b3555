package replay

import (
	"testing"
	"time"

	labsqs "github.com/twiceproof/twiceproof/lab/sqs"
)

func TestNextDue(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(after time.Duration, kind labsqs.Kind, copy int, visibility time.Duration) labsqs.Event {
		return labsqs.Event{At: start.Add(after), Kind: kind, MessageID: "m", Copy: copy, Visibility: visibility}
	}
	const s = time.Second
	for _, c := range []struct {
		name string
		log  []labsqs.Event
		want time.Duration // and a millisecond
		any  bool
	}{
		{"nothing", nil, 0, false},
		{"sent only", []labsqs.Event{at(0, labsqs.Sent, 1, 0)}, 0, false},
		{"in hand", []labsqs.Event{at(0, labsqs.Received, 1, 30*s)}, 20 * s, true},
		{"put back", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(5*s, labsqs.VisibilityChanged, 1, 60*s)}, 55 * s, true},
		{"deleted", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.Deleted, 1, 0)}, 0, false},
		{"given up", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.DeadLettered, 1, 0)}, 0, false},
		{"visible again", []labsqs.Event{at(0, labsqs.Received, 1, 5*s), at(5*s, labsqs.VisibilityOver, 1, 0)}, 0, false},
		{"purged", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.Purged, 1, 0)}, 0, false},
		{"too old", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.RetentionOver, 1, 0)}, 0, false},
		{"the next of two copies", []labsqs.Event{at(0, labsqs.Received, 1, 90*s), at(0, labsqs.Received, 2, 30*s)}, 20 * s, true},
		{"overdue", []labsqs.Event{at(0, labsqs.Received, 1, 5*s)}, 0, true},
		{"the last receive counts", []labsqs.Event{at(0, labsqs.Received, 1, 5*s), at(5*s, labsqs.VisibilityOver, 1, 0), at(6*s, labsqs.Received, 1, 30*s)}, 26 * s, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, any := nextDue(c.log, start.Add(10*s))
			if want := c.want + time.Millisecond; any != c.any || any && got != want {
				t.Errorf("got %s, %t; want %s, %t", got, any, want, c.any)
			}
		})
	}
}
