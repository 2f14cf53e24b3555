package sqs

import (
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

type copyOf struct {
	message string
	copy    int
}

// due is how long it takes until the next copy becomes visible; false when there is none.
func due(log []queue.Event, now time.Time) (time.Duration, bool) {
	hidden := map[copyOf]time.Time{}
	for _, e := range log {
		c := copyOf{e.Message, e.Copy}
		switch e.Kind {
		case queue.Received, queue.VisibilityChanged:
			hidden[c] = e.At.Add(e.For)
		case queue.Deleted, queue.DeadLettered, queue.VisibilityOver, queue.Purged, queue.RetentionOver, queue.Gone:
			delete(hidden, c)
		}
	}
	next, any := time.Duration(0), false
	for _, at := range hidden {
		if left := max(0, at.Sub(now)); !any || left < next {
			next, any = left, true
		}
	}
	return next + time.Millisecond, any
}
