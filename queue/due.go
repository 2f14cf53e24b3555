package queue

import "time"

// What waits for its time.

// Delayed is told of a copy that comes back at a time: one in the worker's hand, or a new
// one.
func (l *Ledger) Delayed(worker, message, place string, payload []byte, at time.Time) {
	l.Lock()
	defer l.Unlock()
	c := l.held(worker, message)
	if c == nil {
		c = l.make(Sent, message, worker, place, payload)
	}
	l.leave(c)
	c.state, c.worker, c.Place, c.Payload, c.due = delayed, "", place, payload, at
	l.note(VisibilityChanged, c, worker, max(0, at.Sub(l.Time())))
}

// CameDue is told of a message that somebody was seen to put on when its time had come, unless
// the clock was moved past that before.
func (l *Ledger) CameDue(message, place string, payload []byte) {
	l.Lock()
	defer l.Unlock()
	if l.early[message] > 0 {
		l.early[message]--
	} else if c := l.find(message, delayed); c != nil {
		c.state, c.Place, c.Payload = visible, place, payload
		l.note(VisibilityOver, c, "", 0)
	}
}

// Foreseen is told of a message that has come due, and that somebody is about to put on by
// himself: it is seen later, and is no other copy.
func (l *Ledger) Foreseen(message string) {
	l.Lock()
	defer l.Unlock()
	l.early[message]++
}

// Advance makes the clock jump, and gives what is to be put on now: first what waited for
// its time; then, by force, what is lost and what a worker that does not move has in hand.
// Each of them is known to be there already.
func (l *Ledger) Advance(d time.Duration) (due, forced []Copy) {
	l.Lock()
	defer l.Unlock()
	l.Jump(d)
	for _, c := range l.left(func(c *Copy) bool { return c.state == delayed && !c.due.After(l.Time()) }) {
		due = append(due, *c)
		c.state = visible
		l.note(VisibilityOver, c, "", 0)
	}
	for _, c := range l.left(func(c *Copy) bool { return (c.state == inHand || c.state == lost) && c.Kept == "" && !c.forced }) {
		if c.forced = true; c.state == lost {
			l.remove(c)
		}
		forced = append(forced, *l.make(Redelivered, c.Message, "", c.Place, c.Payload))
	}
	return due, forced
}
