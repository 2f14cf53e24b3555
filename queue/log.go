package queue

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Log is what happened in a queue that is seen through the workers' proxies alone, by a
// clock that can be moved, and who waits for more. Its owner changes things between Lock
// and Unlock; the methods that say "under the lock" are called there.
type Log struct {
	sync.Mutex
	ahead   time.Duration // of the machine's clock
	events  []Event
	changed chan struct{} // closed and replaced at every change
	closed  chan struct{}
}

// ErrClosed ends a wait for a queue that was closed.
var ErrClosed = errors.New("queue is closed")

// NewLog makes an empty one.
func NewLog() *Log { return &Log{changed: make(chan struct{}), closed: make(chan struct{})} }

// Now is the machine's clock, moved by what Jump was given.
func (l *Log) Now() time.Time {
	l.Lock()
	defer l.Unlock()
	return l.Time()
}

// Time is Now, under the lock.
func (l *Log) Time() time.Time { return time.Now().Add(l.ahead) }

// Jump moves the clock, under the lock.
func (l *Log) Jump(d time.Duration) { l.ahead += d }

// Note adds what happened just now, under the lock.
func (l *Log) Note(e Event) {
	e.At = l.Time()
	l.events = append(l.events, e)
	l.Tell()
}

// Tell wakes those that wait, under the lock.
func (l *Log) Tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Events are those so far, under the lock.
func (l *Log) Events() []Event { return l.events[:len(l.events):len(l.events)] }

// Await waits for a state. It looks under the lock.
func (l *Log) Await(ctx context.Context, look func() Snapshot, ok func(Snapshot) bool) error {
	for {
		l.Lock()
		s, changed := look(), l.changed
		l.Unlock()
		if ok(s) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closed:
			return ErrClosed
		}
	}
}

// Close ends what waits.
func (l *Log) Close() {
	l.Lock()
	defer l.Unlock()
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
}

// DueIn keeps the nearest.
func (s *Snapshot) DueIn(d time.Duration) {
	if d = max(0, d) + time.Millisecond; !s.NextDue || d < s.Due {
		s.NextDue, s.Due = true, d
	}
}
