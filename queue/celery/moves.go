package celery

import (
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

// What happens to the copies.

// put is told of what the replay puts on: before it does, so that there is no moment at
// which nobody knows of it.
func (c *copies) put(kind queue.Kind, m message, place string) {
	c.Lock()
	defer c.Unlock()
	c.note(kind, c.add(m, place), "", 0)
}

// arrived is told of a message that somebody was seen to put on: a new one, or, of a task
// that this worker has in hand, the one that takes its place.
func (c *copies) arrived(worker string, m message, place string) {
	c.Lock()
	defer c.Unlock()
	early := c.early[c.earlyKey(m)]
	delete(c.early, c.earlyKey(m))
	was := c.first(func(t *taken) bool {
		return t != early && t.id() == m.id() && t.worker == worker && t.state == inHand && t.tag() != m.tag()
	})
	switch {
	case worker != "" && was != nil:
		c.putBack(was, m, place, early)
	case early != nil:
		c.note(queue.Sent, early, worker, 0)
	case c.at(m.tag()) == nil:
		c.note(queue.Sent, c.add(m, place), worker, 0)
	}
}

// earlyKey is what a copy is known by that was received before it was seen to be put on.
func (c *copies) earlyKey(m message) string {
	if !c.requeues {
		return m.tag()
	}
	return m.id() + text(m.Headers["eta"]) // the tag is given on delivery
}

// putBack: the copy that its worker has put on takes the place of the one in hand. Early:
// somebody was so quick that it has it already; of one that it keeps for its time nothing
// has been said yet.
func (c *copies) putBack(was *taken, m message, place string, early *taken) {
	worker := was.worker
	var wait time.Duration
	if eta, ok := m.eta(); ok {
		wait = max(0, time.Until(eta))
	}
	c.note(queue.VisibilityChanged, was, worker, wait)
	switch {
	case early == nil:
		c.all = append(c.all, &taken{message: m, n: was.n, place: place})
	case early.state == waiting:
		c.made[m.id()]--
		early.n = was.n
	}
	was.state, was.n = replaced, 0
	c.known[m.id()] = m
}

// received is told of a delivery. The worker keeps what has a time, and does not begin
// before it. Kept says that the broker has it, too.
func (c *copies) received(worker string, m message, place string, kept bool) {
	c.Lock()
	defer c.Unlock()
	t := c.at(m.tag())
	if t == nil || t.isInside() { // it was put on so lately that this was not seen yet, or another one has it, too
		t = c.add(m, place)
		c.early[c.earlyKey(m)] = t
	}
	*t = taken{message: m, n: t.n, place: place, worker: worker, state: inHand, forced: t.forced}
	if kept {
		c.keep(t)
	} else {
		t.way = onItsWay
	}
	eta, ok := m.eta()
	if wait := time.Until(eta); ok && wait > 0 {
		t.state, t.due = waiting, c.Time().Add(wait)
		time.AfterFunc(wait, func() { c.begin(t, eta) })
		c.Tell()
		return
	}
	c.note(queue.Received, t, worker, c.again)
}

// rename gives the copy that is delivered the name by which it will be acknowledged, where
// the broker has no name for it of its own: any one of the task that waits just so is it.
// What is delivered again, and waits nowhere, was in a worker whose connection has ended:
// nobody is given what another one has.
func (c *copies) rename(m *message, tag string, again bool) {
	c.Lock()
	defer c.Unlock()
	_, timed := m.eta()
	m.Properties["delivery_tag"] = raw(tag)
	of := func(is func(*taken) bool) *taken {
		return c.first(func(t *taken) bool {
			_, has := t.eta()
			return t.id() == m.id() && has == timed && is(t)
		})
	}
	t := of(func(t *taken) bool { return t.state == visible })
	if t == nil && again {
		if t = of(func(t *taken) bool { return t.isInside() && t.kept }); t != nil {
			c.bereft(t)
		}
	}
	if t != nil {
		t.message = *m
	}
}

// inHandOf is what a worker has under a tag.
func (c *copies) inHandOf(worker, tag string) (m message, place string, ok bool) {
	c.Lock()
	defer c.Unlock()
	t := c.with(worker, tag)
	if t == nil {
		return m, "", false
	}
	return t.message, t.place, true
}

// begin is told that a time has come by the machine's clock. What waits for another one by
// now, since it has been elsewhere meanwhile, goes on waiting.
func (c *copies) begin(t *taken, eta time.Time) {
	c.Lock()
	defer c.Unlock()
	if now, _ := t.eta(); now.Equal(eta) {
		c.begun(t)
	}
}

func (c *copies) begun(t *taken) {
	switch t.state {
	case waiting:
		t.state = inHand
		c.note(queue.VisibilityOver, t, "", 0)
	case forgotten: // the replay has put it on already, because its time had come by the queue's clock
		t.state = inHand
		c.number(t)
		c.note(queue.Redelivered, t, "", 0)
	default:
		return
	}
	c.note(queue.Received, t, t.worker, 0)
}

// keeps is told that the broker has noted who has a copy.
func (c *copies) keeps(worker, tag string) {
	c.Lock()
	defer c.Unlock()
	if t := c.with(worker, tag); t != nil {
		c.keep(t)
	}
}

func (c *copies) keep(t *taken) {
	t.kept = true
	if c.again > 0 {
		t.again = c.Time().Add(c.again)
	}
}
