package celery

import "time"

// What the workers ask for, and what the steps are that they say.

// comes is told that a worker is about to ask, and says whether it is for the first time.
func (c *copies) comes(worker string) (first bool) {
	c.Lock()
	defer c.Unlock()
	if c.workers[worker] != nil {
		return false
	}
	c.workers[worker] = &asking{}
	return true
}

// asks is told of a poll that was sent.
func (c *copies) asks(worker string) {
	c.Lock()
	defer c.Unlock()
	c.worker(worker).polls++
	c.Tell()
}

// answered is told of the end of a poll.
func (c *copies) answered(worker string) {
	c.Lock()
	defer c.Unlock()
	if w := c.workers[worker]; w != nil { // a dead one has none
		w.polls = max(0, w.polls-1)
	}
}

// hears is told of a worker's answer.
func (c *copies) hears(worker string, a answered) {
	c.Lock()
	defer c.Unlock()
	if w := c.workers[worker]; w != nil {
		w.tells = w.tells || a.tells
		if a.late != nil {
			w.late = a.late
		}
		c.Tell()
	}
}

// isDeaf: it has not answered all yet.
func (c *copies) isDeaf(worker string) bool {
	c.Lock()
	defer c.Unlock()
	w := c.workers[worker]
	return w != nil && (!w.tells || w.late == nil)
}

// isAway: it has nothing in hand, and does not ask.
func (c *copies) isAway(worker string) bool {
	c.Lock()
	defer c.Unlock()
	w := c.workers[worker]
	return w != nil && w.polls == 0 && c.first(func(t *taken) bool { return t.worker == worker && (t.state == inHand || t.state == replaced) }) == nil
}

// redeliversAfter is told of the workers' setting.
func (c *copies) redeliversAfter(d time.Duration) {
	c.Lock()
	defer c.Unlock()
	if c.again == 0 { // by those that start later it would be a little more
		c.again = d
	}
}

// nameOfAck says whether an acknowledgement ends a task.
func (c *copies) nameOfAck(worker, tag string) string {
	c.Lock()
	defer c.Unlock()
	switch t := c.with(worker, tag); {
	case t == nil || t.state != inHand:
		return stepOtherAck
	case c.isEarly(t) && !t.over:
		return stepEarlyAck
	}
	return stepAck
}

// nameOfEvents says whether events end a task that was acknowledged before.
func (c *copies) nameOfEvents(worker string, events []taskEvent) string {
	c.Lock()
	defer c.Unlock()
	for _, e := range events {
		if e.ends() && c.first(func(t *taken) bool { return t.id() == e.id && t.worker == worker && t.state == inHand && t.acked }) != nil {
			return stepEnd
		}
	}
	return stepEvents
}

// places are where messages were.
func (c *copies) places() (all []string) {
	c.Lock()
	defer c.Unlock()
	for _, t := range c.all {
		all = append(all, t.place)
	}
	return all
}

// consumes is told of a worker that is sent messages from now on.
func (c *copies) consumes(worker string) {
	c.Lock()
	defer c.Unlock()
	c.worker(worker).consumes = true
	c.Tell()
}
