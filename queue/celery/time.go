package celery

import (
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

// What happens when the queue's clock is moved.

// due is what is to be put on: a copy, and the tag that the broker has of it until then.
type due struct {
	message
	place string
	in    string // the tag; empty: by force, or nobody has it
}

// advance makes the clock jump, and gives what is to be put on now: what waited for its
// time, what the broker would deliver again by itself, and by force what nobody would.
// Each of them is known to be there already.
func (c *copies) advance(d time.Duration, stranded []*taken) (all []due) {
	c.Lock()
	defer c.Unlock()
	// By the machine's clock these are begun, whether their timers have rung or not.
	for _, t := range c.those(func(t *taken) bool { return t.state == waiting && t.isTime() }) {
		c.begun(t)
	}
	c.Jump(d)
	now := c.Time()
	for _, t := range c.those(func(t *taken) bool { return t.state == waiting && !t.due.After(now) }) {
		all = append(all, c.isDue(t))
	}
	for _, t := range c.those(func(t *taken) bool { return !c.delivers && t.isOverdue(now) }) {
		all = append(all, c.overdue(t))
	}
	for _, t := range stranded {
		if t.isStranded() {
			all = append(all, c.force(t))
		}
	}
	return all
}

// stranded are those that nobody will deliver again, and that do not move. What a worker
// begins with from now on does.
func (c *copies) stranded() []*taken {
	c.Lock()
	defer c.Unlock()
	return c.those((*taken).isStranded)
}

// isDue: the time is over for which its worker keeps it. The worker goes by the machine's
// clock, so another copy takes its place.
func (c *copies) isDue(t *taken) due {
	was := t.tag()
	now := c.add(t.message.again(), t.place)
	c.made[t.id()]--
	now.n, t.n, t.state, t.kept, t.again = t.n, 0, forgotten, t.kept && c.requeues, time.Time{}
	c.note(queue.VisibilityOver, now, "", 0)
	return due{now.message, now.place, was}
}

func (t *taken) isTime() bool {
	eta, ok := t.eta()
	return ok && !eta.After(time.Now())
}

func (t *taken) isOverdue(now time.Time) bool {
	return (t.state == inHand && t.kept || t.state == orphan) && !t.again.IsZero() && !t.again.After(now)
}

// overdue: the broker delivers it again. Its time, where it has one, is over by then.
func (c *copies) overdue(t *taken) due {
	was, m := t.tag(), t.redelivered()
	if t.state == inHand {
		t = c.replace(t)
	}
	if _, has := m.eta(); has {
		m = m.again()
	}
	c.rest(t, m, t.place)
	c.note(queue.VisibilityOver, t, "", 0)
	return due{m, t.place, was}
}

func (t *taken) isStranded() bool {
	return !t.forced && !t.quiet && (t.state == lost || t.state == inHand && t.again.IsZero())
}

func (c *copies) force(t *taken) due {
	t.forced = true
	if t.state == lost {
		c.remove(t)
	}
	now := c.add(t.message.again(), t.place)
	c.note(queue.Redelivered, now, "", 0)
	return due{now.message, now.place, ""}
}

// wakes is when the last of those comes by the machine's clock that are due within d and
// wait no longer than that: for them time need not jump.
func (c *copies) wakes(d, limit time.Duration) (at time.Time) {
	c.Lock()
	defer c.Unlock()
	now := time.Now()
	for _, t := range c.all {
		eta, _ := t.eta()
		if t.state == waiting && !t.due.After(c.Time().Add(d)) && eta.Before(now.Add(limit)) && eta.After(at) {
			at = eta
		}
	}
	return at
}

// lose forgets all that the broker has and what is in hand.
func (c *copies) lose() {
	c.Lock()
	defer c.Unlock()
	for _, t := range c.all {
		if t.state != replaced && t.state != forgotten {
			c.Note(queue.Event{Kind: queue.Gone, Message: t.id(), Copy: t.n})
		}
		t.state = lost
	}
	c.all = nil
	c.Tell()
}

// another is the last copy that was seen of a task, as one more.
func (c *copies) another(id string) (m message, ok bool) {
	c.Lock()
	defer c.Unlock()
	m, ok = c.known[id]
	if !ok {
		return m, false
	}
	return m.again(), true
}
