package celery

import (
	"context"
	"time"

	lab "github.com/twiceproof/twiceproof/lab/sqs"
	"github.com/twiceproof/twiceproof/queue"
)

// follow moves the endpoint's clock and takes in what its log has by then. One look at a
// queue shows what has happened and who asks at one moment.
func (b *sqsBroker) follow(jump time.Duration) {
	if jump > 0 {
		b.endpoint.Advance(jump)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	over, cancel := context.WithCancel(context.Background())
	cancel() // it ends the wait after its first look
	polls := map[string]int{}
	for name, read := range b.queues {
		_ = b.endpoint.Wait(over, name, func(s lab.Snapshot) bool {
			for _, e := range s.Events[read:] {
				b.happened(name, e)
			}
			b.queues[name] = len(s.Events)
			for worker, n := range s.Polls {
				polls[worker] += n
			}
			return true
		})
	}
	for worker := range b.named {
		b.hasPolls(worker, polls[worker])
	}
}

func (b *sqsBroker) happened(place string, e lab.Event) {
	at, worker := delivery{place, e.MessageID, e.Copy}, e.Client
	if !b.named[worker] { // it has an address for a name
		worker = ""
	}
	if e.Kind == lab.Sent {
		if m, ok := readSQS(b.endpoint.Body(place, e.MessageID)); ok {
			b.messages[at] = m
			b.arrived(worker, m, place)
		}
		return
	}
	m, ok := b.messages[at]
	if !ok {
		return
	}
	switch e.Kind {
	case lab.Received:
		b.receipts[e.Receipt] = m.tag()
		b.redeliversAfter(e.Visibility)
		b.received(worker, m, place, true)
	case lab.Deleted:
		b.acknowledged(worker, m.tag())
		b.deleted(worker, m.tag())
	case lab.DeleteStale, lab.DeleteRepeated:
		b.acknowledged(worker, m.tag())
	case lab.VisibilityChanged:
		b.released(worker, m.tag(), e.Visibility)
	case lab.VisibilityOver:
		b.restored("", m, place)
	case lab.DeadLettered, lab.RetentionOver:
		b.gaveUp(queue.Kind(e.Kind), m.tag())
	}
}

// hasPolls is told how many polls a worker has open.
func (c *copies) hasPolls(worker string, n int) {
	c.Lock()
	defer c.Unlock()
	if w := c.workers[worker]; w == nil && n == 0 || w != nil && w.polls == n {
		return // a dead one asks no more
	}
	c.worker(worker).polls = n
	c.Tell()
}

// deleted is told that the broker has none of a copy any more, also when it would have
// given it out again.
func (c *copies) deleted(worker, tag string) {
	c.Lock()
	defer c.Unlock()
	if t := c.first(func(t *taken) bool { return t.tag() == tag && (t.state == visible || t.state == orphan) }); t != nil {
		c.remove(t)
		c.note(queue.Deleted, t, worker, 0)
	}
}

// released is told that a worker has let a copy go, which is there again after a time.
func (c *copies) released(worker, tag string, after time.Duration) {
	c.Lock()
	defer c.Unlock()
	t := c.with(worker, tag)
	if t == nil {
		return
	}
	c.numbered(t)
	t.state, t.worker, t.again = orphan, "", c.Time().Add(after)
	c.note(queue.VisibilityChanged, t, worker, after)
}

func (c *copies) gaveUp(kind queue.Kind, tag string) {
	c.Lock()
	defer c.Unlock()
	if t := c.at(tag); t != nil {
		c.remove(t)
		c.note(kind, t, "", 0)
	}
}
