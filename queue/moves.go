package queue

import "slices"

// What happens to the copies of a Ledger.

// Put is told of a message that is put on: before that by who puts it on, so that there is
// no moment at which nobody knows of it.
func (l *Ledger) Put(kind Kind, message, place string, payload []byte) {
	l.Lock()
	defer l.Unlock()
	l.make(kind, message, "", place, payload)
}

// Arrived is told of a message that somebody was seen to put on. One in that worker's hand
// it gives back; one that waited for its time is there.
func (l *Ledger) Arrived(worker, message, place string, payload []byte) {
	l.Lock()
	defer l.Unlock()
	if l.early[message] > 0 {
		l.early[message]--
		return
	}
	c, kind := l.held(worker, message), VisibilityChanged
	if c == nil {
		c, kind = l.find(message, delayed), VisibilityOver
		worker = ""
	}
	if c == nil {
		l.make(Sent, message, "", place, payload)
		return
	}
	if c.reclaimed {
		kind, worker = VisibilityOver, ""
	}
	l.leave(c)
	c.state, c.worker, c.Place, c.Payload, c.reclaimed = visible, "", place, payload, false
	l.note(kind, c, worker, 0)
}

// Received is told of a delivery. One that was put on so lately that this was not seen yet
// is known from now on.
func (l *Ledger) Received(worker, message, place string, payload []byte) {
	l.Lock()
	defer l.Unlock()
	c := l.find(message, visible)
	if c == nil {
		if c = l.find(message, delayed); c == nil {
			c = l.make(Sent, message, "", place, payload)
		}
		l.early[message]++
	}
	c.state, c.worker, c.Place, c.Payload, c.onItsWay = inHand, worker, place, payload, true
	l.note(Received, c, worker, 0)
}

// Died is told of a copy that became a dead letter, and why.
func (l *Ledger) Died(worker, message, place, why string) {
	l.Lock()
	defer l.Unlock()
	if c := l.held(worker, message); c != nil {
		l.leave(c)
		c.state, c.worker, c.Place = deadLetter, "", place
		l.Note(Event{Kind: DeadLettered, Message: c.Message, Copy: c.N, Worker: worker, Why: why})
	}
}

// Ended is told that a worker is done with all that it has in hand, but for what it keeps:
// that has an end of its own.
func (l *Ledger) Ended(worker string) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.mortal(worker) {
		l.drop(Deleted, c, worker)
	}
}

// mortal is what a worker has in hand that would die with it.
func (l *Ledger) mortal(worker string) []*Copy {
	return l.left(func(c *Copy) bool { return c.state == inHand && c.worker == worker && c.Kept == "" })
}

// Threads is told how many polls an idle worker has open.
func (l *Ledger) Threads(worker string, n int) {
	l.Lock()
	defer l.Unlock()
	l.threads[worker] = n
}

// Asks is told of a poll that was sent, and says whether the worker has nothing else to do
// now: then what it had in hand is done with, unless it was given back.
func (l *Ledger) Asks(worker string) (idle bool) {
	l.Lock()
	defer l.Unlock()
	l.waiting[worker]++
	l.Tell()
	return l.waiting[worker] >= max(1, l.threads[worker])
}

// Answered is told of the end of a poll.
func (l *Ledger) Answered(worker string) {
	l.Lock()
	defer l.Unlock()
	l.waiting[worker] = max(0, l.waiting[worker]-1) // a dead one has none
}

// WouldEnd tells whether one more poll ends what the worker has in hand.
func (l *Ledger) WouldEnd(worker string) bool {
	l.Lock()
	defer l.Unlock()
	return l.waiting[worker]+1 >= max(1, l.threads[worker]) && len(l.mortal(worker)) > 0
}

// Dead is told that a worker's process has ended: what it had in hand is lost, unless it
// is kept.
func (l *Ledger) Dead(worker string) {
	l.Lock()
	defer l.Unlock()
	l.waiting[worker] = 0
	for _, c := range l.mortal(worker) {
		l.miss(c)
	}
	l.bequeath(worker)
	l.Tell()
}

// Known is what was last seen of a message.
func (l *Ledger) Known(message string) (place string, payload []byte, ok bool) {
	l.Lock()
	defer l.Unlock()
	c, ok := l.known[message]
	return c.Place, c.Payload, ok
}

// Lose forgets all that there is and gives it.
func (l *Ledger) Lose() []Copy {
	l.Lock()
	defer l.Unlock()
	gone := l.stale
	l.stale = nil
	for _, c := range slices.Clone(l.copies) {
		gone = append(gone, *c)
		l.drop(Gone, c, "")
	}
	return gone
}
