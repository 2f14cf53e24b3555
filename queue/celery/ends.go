package celery

import (
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

// How a delivery ends: by what its worker says, or by its death.

// acknowledged is told that the broker forgets a copy. Of a task that is acknowledged before
// it runs this is no end.
func (c *copies) acknowledged(worker, tag string) {
	c.Lock()
	defer c.Unlock()
	t := c.with(worker, tag)
	if t == nil {
		return
	}
	t.kept, t.again, t.acked = false, time.Time{}, true
	switch {
	case c.silent && t.state == inHand && !t.worked:
		t.quiet = true
		time.AfterFunc(quietFor, func() { c.staysQuiet(t) })
	case t.over || !c.isEarly(t):
		c.end(t)
	case !t.told:
		c.note(queue.EndUnseen, t, worker, 0)
	default:
		c.Tell()
	}
}

// quietFor is how long a worker is listened to that has acknowledged what does not show to
// have run: a repeat, or what it begins with now.
const quietFor = 500 * time.Millisecond

func (c *copies) staysQuiet(t *taken) {
	c.Lock()
	defer c.Unlock()
	if t.quiet && t.state == inHand {
		c.end(t)
		c.ended[t.worker] = t
	}
}

// isEarly: the acknowledgement of the task does not end it. Where the worker does not say
// so, what it has said to others since it has the message shows that it has run.
func (c *copies) isEarly(t *taken) bool {
	if c.silent {
		return false
	}
	if w := c.workers[t.worker]; w != nil {
		if late, known := w.late[t.task()]; known {
			return !late
		}
	}
	return !t.worked
}

// end also ends what the worker had acknowledged quietly before.
func (c *copies) end(t *taken) {
	t.quiet = false
	c.remove(t)
	for _, before := range c.those(func(other *taken) bool { return other.quiet && other.worker == t.worker }) {
		c.end(before)
	}
	delete(c.ended, t.worker)
	if t.state == inHand {
		c.note(queue.Deleted, t, t.worker, 0)
	}
}

// said is told of what a worker said of a task.
func (c *copies) said(worker string, e taskEvent) {
	c.Lock()
	defer c.Unlock()
	if e.kind == "task-failed" {
		c.failed++
		c.Note(queue.Event{Kind: queue.Failed, Message: e.id, Worker: worker})
	}
	for _, t := range c.those(func(t *taken) bool { return t.worker == worker && t.id() == e.id && t.isInside() }) {
		t.told = true
		if e.ends() && (t.acked || !t.over && c.isEarly(t)) { // it may come a moment before the acknowledgement
			if t.over = true; t.acked {
				c.end(t)
			}
			return
		}
	}
}

// spoke is told that a worker has heard something of somebody else than the broker.
func (c *copies) spoke(worker string) {
	c.Lock()
	defer c.Unlock()
	for _, t := range c.all {
		t.worked = t.worked || t.worker == worker && t.state == inHand
	}
}

// speaks is told that a worker says something to somebody else. With nothing else in hand
// that is for what it has acknowledged.
func (c *copies) speaks(worker string) {
	c.Lock()
	defer c.Unlock()
	if c.first(func(t *taken) bool { return t.worker == worker && t.state == inHand && !t.quiet }) != nil {
		return
	}
	t := c.first(func(t *taken) bool { return t.worker == worker && t.quiet })
	if t == nil {
		if t = c.ended[worker]; t == nil {
			return
		}
		c.all = append(c.all, t)
	}
	delete(c.ended, worker)
	t.quiet = false
	c.note(queue.EndUnseen, t, worker, 0)
}

// dead is told that a worker's process has ended.
func (c *copies) dead(worker string) {
	c.Lock()
	defer c.Unlock()
	delete(c.workers, worker)
	delete(c.ended, worker)
	for _, t := range c.those(func(t *taken) bool { return t.worker == worker && t.isInside() }) {
		c.bereft(t)
	}
	c.Tell()
}

// gets is told that what was on its way to a worker has come so far.
func (c *copies) gets(worker string, from, to way) {
	c.Lock()
	defer c.Unlock()
	for _, t := range c.those(func(t *taken) bool { return t.worker == worker && t.way == from }) {
		t.way = to
	}
}

// missed is told that the worker's connection ended there: it lives, and does not begin with it.
func (c *copies) missed(worker string, at way) {
	c.Lock()
	defer c.Unlock()
	for _, t := range c.those(func(t *taken) bool { return t.worker == worker && t.way == at && t.isInside() }) {
		t.way = begun
		c.bereft(t)
	}
	c.Tell()
}

func (c *copies) bereft(t *taken) {
	worker := t.worker
	if t.quiet {
		c.end(t)
		return
	}
	t.worker = ""
	switch {
	case !t.kept && t.state == inHand:
		kind := queue.Lost
		if t.state = lost; t.acked {
			kind = queue.LostEarly
		}
		c.note(kind, t, worker, 0)
	case !t.kept:
		c.remove(t)
	case c.requeues:
		c.numbered(t)
		c.rest(t, t.message, t.place)
		c.note(queue.VisibilityOver, t, "", 0)
	default:
		c.numbered(t)
		if t.state == waiting && t.again.Before(t.due) {
			t.again = t.due
		}
		t.state = orphan
	}
}

func (c *copies) numbered(t *taken) {
	if t.n == 0 {
		c.number(t)
	}
}
