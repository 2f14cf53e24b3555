package celery

import "github.com/twiceproof/twiceproof/queue"

// What goes back to where it was.

// restored is told that a copy went back to where it was: by its worker, or by another one
// because it was overdue.
func (c *copies) restored(worker string, m message, place string) {
	c.Lock()
	defer c.Unlock()
	if c.first(func(t *taken) bool { return t.tag() == m.tag() && t.state == visible }) != nil || c.takenAgain(worker, m) {
		return
	}
	t, kind := c.with(worker, m.tag()), queue.VisibilityChanged
	if t == nil {
		t, kind, worker = c.first(func(t *taken) bool { return t.tag() == m.tag() }), queue.VisibilityOver, ""
	}
	switch {
	case t == nil:
		t, kind = c.add(m, place), queue.Sent
	case (t.state == inHand || t.state == waiting) && worker == "":
		t = c.replace(t)
	case t.n == 0:
		c.number(t)
	}
	c.rest(t, m, place)
	c.note(kind, t, worker, 0)
}

// takenAgain: what went back has been received again already, before this was seen. So no
// copy rests at the broker.
func (c *copies) takenAgain(worker string, m message) bool {
	early, known := c.early[c.earlyKey(m)]
	delete(c.early, c.earlyKey(m))
	was := func(match func(*taken) bool) *taken {
		return c.first(func(t *taken) bool { return t.tag() == m.tag() && t != early && match(t) })
	}
	kind := queue.VisibilityChanged
	t := was(func(t *taken) bool { return t.worker == worker && t.isInside() })
	if t == nil {
		kind, worker = queue.VisibilityOver, ""
		t = was(func(*taken) bool { return true })
	}
	if !known || t == nil {
		return false
	}
	c.numbered(t)
	c.note(kind, t, worker, 0)
	if worker == "" && t.isInside() {
		t.leave()
	} else {
		c.remove(t)
	}
	return true
}

// rest puts a copy at the broker.
func (c *copies) rest(t *taken, m message, place string) {
	*t = taken{message: m, n: t.n, place: place, forced: t.forced}
}

// replace leaves what a worker has in hand to it, and gives the copy that takes its place.
func (c *copies) replace(t *taken) *taken {
	now := &taken{message: t.message, n: t.n, place: t.place}
	c.all = append(c.all, now)
	t.leave()
	return now
}

// leave has another copy stand in the place of what a worker has in hand.
func (t *taken) leave() {
	t.n, t.kept = 0, false
	switch t.state {
	case waiting:
		t.state = forgotten
	case inHand:
		t.state = replaced
	}
}
