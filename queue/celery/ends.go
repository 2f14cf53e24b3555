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
	case t.over || !c.isEarly(t):
		c.end(t)
	case !t.told:
		c.note(queue.EndUnseen, t, worker, 0)
	default:
		c.Tell()
	}
}

// isEarly: the acknowledgement of the task does not end it. Where the worker does not say
// so, what it has said to others since it has the message shows that it has run.
func (c *copies) isEarly(t *taken) bool {
	if w := c.workers[t.worker]; w != nil {
		if late, known := w.late[t.task()]; known {
			return !late
		}
	}
	return !t.worked
}

func (c *copies) end(t *taken) {
	c.remove(t)
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

// dead is told that a worker's process has ended.
func (c *copies) dead(worker string) {
	c.Lock()
	defer c.Unlock()
	delete(c.workers, worker)
	for _, t := range c.those(func(t *taken) bool { return t.worker == worker && t.isInside() }) {
		c.bereft(t)
	}
	c.Tell()
}

func (c *copies) bereft(t *taken) {
	worker := t.worker
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
