package sqs

import (
	"slices"
	"time"
)

// sweep lets happen what is due at now: delays, visibility timeouts and
// retention end, in the order in which they ended.
func (q *queue) sweep(now time.Time) {
	var over []*messageCopy
	for _, c := range q.copies {
		if !q.next(c).After(now) {
			over = append(over, c)
		}
	}
	slices.SortStableFunc(over, func(a, b *messageCopy) int {
		return q.next(a).Compare(q.next(b))
	})
	for _, c := range over {
		q.pass(now, c)
	}
}

// pass takes one copy through everything that is due for it: the end of its
// timeout, then, after a long jump of the clock, that of its retention too.
func (q *queue) pass(now time.Time, c *messageCopy) {
	end := q.endOfRetention(c)
	if c.state != visible && !c.due.After(now) && c.due.Before(end) {
		kind := VisibilityOver
		if c.state == delayed {
			kind = DelayOver
		}
		c.state = visible
		// No event for a message sent without delay: "sent" says it.
		if kind != DelayOver || c.due.After(c.sentAt) {
			q.log(c.due, kind, c, Event{})
		}
	}
	if !end.After(now) {
		q.remove(c)
		q.log(end, RetentionOver, c, Event{})
	}
}

// next is when something happens to c by itself.
func (q *queue) next(c *messageCopy) time.Time {
	end := q.endOfRetention(c)
	if c.state != visible && c.due.Before(end) {
		return c.due
	}
	return end
}

func (q *queue) endOfRetention(c *messageCopy) time.Time {
	return c.sentAt.Add(q.set.retention)
}

// wake is when something next happens in the queue by itself.
func (q *queue) wake() (time.Time, bool) {
	var first time.Time
	for _, c := range q.copies {
		if at := q.next(c); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first, !first.IsZero()
}
