package sqs

import "time"

// receiving is one ReceiveMessage.
type receiving struct {
	max        int
	visibility *time.Duration // nil: the queue's own
	client     string
}

// received is one message handed out, as it was at that moment.
type received struct {
	*stored
	receipt       string
	receives      int
	firstReceived time.Time
}

// takable is what a receive may take, in order.
func (q *queue) takable() []*messageCopy {
	if q.set.fifo {
		return q.inTurn()
	}
	var all []*messageCopy
	for _, c := range q.copies {
		if c.state == visible {
			all = append(all, c)
		}
	}
	return all
}

// receive hands out up to r.max messages, never two copies of one. A copy that
// was received as often as the dead-letter limit says is moved instead: the
// receive that would exceed the limit moves it.
func (a *account) receive(now time.Time, q *queue, r receiving) []received {
	q.sweep(now)
	var out []received
	taken := map[string]bool{}
	for _, c := range q.takable() {
		if len(out) == r.max {
			break
		}
		if taken[c.id] {
			continue
		}
		if dead := a.deadLetterQueue(q); dead != nil && c.receives >= q.set.redrive.max {
			moveDead(now, q, dead, c)
			continue
		}
		taken[c.id] = true
		out = append(out, q.hand(now, c, r))
	}
	return out
}

func (q *queue) hand(now time.Time, c *messageCopy, r receiving) received {
	timeout := q.set.visibility
	if r.visibility != nil {
		timeout = *r.visibility
	}
	c.receives++
	c.state, c.due, c.lastReceived = inFlight, now.Add(timeout), now
	if c.firstReceived.IsZero() {
		c.firstReceived = now
	}
	handle := receipt{q.name, c.id, c.copy, c.receives}.String()
	q.log(now, Received, c, Event{Receipt: handle, Visibility: timeout, Client: r.client})
	return received{c.stored, handle, c.receives, c.firstReceived}
}
