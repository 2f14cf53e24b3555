package sqs

import (
	"cmp"
	"slices"
	"time"
)

// queue is one queue. Every method is handed the time and first lets happen
// what is due by then.
type queue struct {
	name     string
	set      settings
	created  time.Time
	modified time.Time
	purged   time.Time

	copies   []*messageCopy // in the order they are handed out
	messages map[string]*stored
	dedup    map[string]deduplication
	sequence uint64
	events   []Event
}

func newQueue(now time.Time, name string, set settings) *queue {
	return &queue{
		name: name, set: set, created: now, modified: now,
		messages: map[string]*stored{}, dedup: map[string]deduplication{},
	}
}

// sending is one message on its way in, with the identifier it will have.
type sending struct {
	Message
	id     string
	delay  *time.Duration // nil: the queue's own
	trace  string
	client string
	extra  int // further copies, visible in the same step
}

func (q *queue) send(now time.Time, s sending) (*stored, *fault) {
	q.sweep(now)
	if err := q.check(s); err != nil {
		return nil, err
	}
	s.DeduplicationID = q.deduplicationID(s.Message)
	if first := q.duplicate(now, s.Message); first != nil {
		q.log(now, SentDuplicate, nil, Event{MessageID: first.id, Client: s.client})
		return first, nil
	}
	m := q.keep(now, s)
	q.remember(now, m)
	delay := q.set.delay
	if s.delay != nil {
		delay = *s.delay
	}
	q.log(now, Sent, q.add(m, now.Add(delay)), Event{Visibility: delay, Client: s.client})
	for range s.extra {
		q.log(now, Redelivered, q.add(m, now.Add(delay)), Event{Client: s.client})
	}
	q.sweep(now)
	return m, nil
}

func (q *queue) keep(now time.Time, s sending) *stored {
	q.sequence++
	m := &stored{Message: s.Message, id: s.id, sequence: q.sequence, sentAt: now, trace: s.trace}
	q.messages[m.id] = m
	return m
}

// add makes a copy of m that becomes visible at due.
func (q *queue) add(m *stored, due time.Time) *messageCopy {
	m.copies++
	c := &messageCopy{stored: m, copy: m.copies, state: delayed, due: due}
	q.insert(c)
	return c
}

// insert keeps the order of sending, so that on a FIFO queue a second copy of
// an old message does not come after newer ones of its group.
func (q *queue) insert(c *messageCopy) {
	at, _ := slices.BinarySearchFunc(q.copies, c, func(a, b *messageCopy) int {
		return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.copy, b.copy))
	})
	q.copies = slices.Insert(q.copies, at, c)
}

// redeliver makes one more copy of a message, whether or not the first is
// deleted or in flight.
func (q *queue) redeliver(now time.Time, id string) bool {
	q.sweep(now)
	m, ok := q.messages[id]
	if !ok {
		return false
	}
	c := q.add(m, now)
	c.state = visible
	q.log(now, Redelivered, c, Event{})
	return true
}

func (q *queue) remove(c *messageCopy) {
	q.copies = slices.DeleteFunc(q.copies, func(other *messageCopy) bool { return other == c })
}

func (q *queue) find(id string, copy int) *messageCopy {
	for _, c := range q.copies {
		if c.id == id && c.copy == copy {
			return c
		}
	}
	return nil
}

const purgeInterval = time.Minute

// lose forgets every copy, as a queue that failed over without its newest writes.
func (q *queue) lose(now time.Time) {
	q.sweep(now)
	for _, c := range q.copies {
		q.log(now, Gone, c, Event{})
	}
	q.copies = nil
}

func (q *queue) purge(now time.Time, client string) *fault {
	q.sweep(now)
	if !q.purged.IsZero() && now.Sub(q.purged) < purgeInterval {
		return purgeInProgress(q.name)
	}
	q.purged = now
	q.copies = nil
	q.log(now, Purged, nil, Event{Client: client})
	return nil
}
