package sqs

import (
	"strconv"
	"time"
)

// maxVisibility is both the longest timeout and the longest that a message may
// be in flight after one receive.
const maxVisibility = 12 * time.Hour

// delete acknowledges one receive.
func (q *queue) delete(now time.Time, handle, client string) *fault {
	q.sweep(now)
	r, err := readReceipt(q.name, handle)
	if err != nil {
		return err
	}
	c := q.find(r.message, r.copy)
	seen := Event{MessageID: r.message, Copy: r.copy, Receipt: handle, Client: client}
	switch {
	case c == nil:
		q.log(now, DeleteRepeated, nil, seen)
	case q.set.fifo && (c.receives != r.receive || c.state != inFlight):
		q.log(now, DeleteRefused, c, seen)
		return receiptHasExpired(handle)
	case c.receives != r.receive:
		q.log(now, DeleteStale, c, seen)
	default:
		q.remove(c)
		q.log(now, Deleted, c, seen)
	}
	return nil
}

// changeVisibility sets a new timeout, counted from now; 0 makes the message
// visible at once.
func (q *queue) changeVisibility(now time.Time, handle string, timeout time.Duration, client string) *fault {
	q.sweep(now)
	if timeout < 0 || timeout > maxVisibility {
		return invalidValue("VisibilityTimeout", wholeSeconds(timeout), "Must be between 0 and 43200, if provided.")
	}
	r, err := readReceipt(q.name, handle)
	if err != nil {
		return err
	}
	c := q.find(r.message, r.copy)
	seen := Event{MessageID: r.message, Copy: r.copy, Receipt: handle, Visibility: timeout, Client: client}
	if err := refuseChange(now, c, r, handle, timeout); err != nil {
		q.log(now, VisibilityRefused, c, seen)
		return err
	}
	c.due = now.Add(timeout)
	q.log(now, VisibilityChanged, c, seen)
	q.sweep(now)
	return nil
}

func refuseChange(now time.Time, c *messageCopy, r receipt, handle string, timeout time.Duration) *fault {
	switch {
	case c == nil || c.receives != r.receive:
		return notForVisibility(handle)
	case c.state != inFlight:
		return messageNotInflight()
	case now.Add(timeout).After(c.lastReceived.Add(maxVisibility)):
		return invalidValue("VisibilityTimeout", wholeSeconds(timeout),
			"Total VisibilityTimeout for the message is beyond the limit [43200 seconds]")
	}
	return nil
}

func wholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64(d/time.Second), 10)
}
