package sqs

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// What the replay does to a queue, beside the workers that speak HTTP.

// CreateQueue makes a queue with the service's own attributes.
func (e *Endpoint) CreateQueue(name string, attributes map[string]string) (url string, err error) {
	var refused *fault
	e.do(func(now time.Time) { refused = e.account.create(now, name, attributes) })
	if refused != nil {
		return "", refused
	}
	return e.queueURL("", name), nil
}

// Send puts one message on the named queue.
func (e *Endpoint) Send(queue string, m Message) (messageID string, err error) {
	ids, err := e.put(queue, 0, m)
	return ids[0], err
}

// SendAll puts messages on, all visible in one step, so that as many waiting long polls
// get one each.
func (e *Endpoint) SendAll(queue string, all ...Message) error {
	_, err := e.put(queue, 0, all...)
	return err
}

// SendTwice puts one message on with two copies, both visible in one step, so
// that two waiting long polls get one each.
func (e *Endpoint) SendTwice(queue string, m Message) (messageID string, err error) {
	ids, err := e.put(queue, 1, m)
	return ids[0], err
}

// SendPair puts two messages with different ids and the same content on, both
// visible in one step. On a FIFO queue deduplication would make one of them.
func (e *Endpoint) SendPair(queue string, m Message) (ids [2]string, err error) {
	all, err := e.put(queue, 0, m, m)
	return [2]string(all), err
}

func (e *Endpoint) put(queue string, extra int, all ...Message) (ids []string, err error) {
	ids = make([]string, len(all))
	e.do(func(now time.Time) {
		q, refused := e.account.find(queue)
		for i := 0; i < len(all) && refused == nil; i++ {
			s := sending{Message: all[i], id: uuid.NewString(), extra: extra}
			if all[i].Delay != 0 {
				s.delay = &all[i].Delay
			}
			var sent *stored
			if sent, refused = q.send(now, s); refused == nil {
				ids[i] = sent.id
			}
		}
		if refused != nil {
			err = fmt.Errorf("send to %s: %w", queue, refused)
		}
	})
	return ids, err
}

// Redeliver makes one more copy of a message visible under the same id, whether
// or not the first copy was deleted or is in flight: what at-least-once
// delivery permits. A receipt deletes the copy that it was given for.
func (e *Endpoint) Redeliver(queue, messageID string) (err error) {
	e.do(func(now time.Time) {
		q, refused := e.account.find(queue)
		if refused != nil {
			err = fmt.Errorf("redeliver from %s: %w", queue, refused)
		} else if !q.redeliver(now, messageID) {
			err = fmt.Errorf("redeliver from %s: no message %s was ever in it", queue, messageID)
		}
	})
	return err
}

// Lose makes the queue lose every message it has, also those in flight.
func (e *Endpoint) Lose(queue string) (err error) {
	e.do(func(now time.Time) {
		q, refused := e.account.find(queue)
		if refused != nil {
			err = fmt.Errorf("lose messages of %s: %w", queue, refused)
			return
		}
		q.lose(now)
	})
	return err
}

// Body is that of a message that ever was in the queue; empty when none was.
func (e *Endpoint) Body(queue, messageID string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if q, refused := e.account.find(queue); refused == nil && q.messages[messageID] != nil {
		return q.messages[messageID].Body
	}
	return ""
}

// Remove takes one copy of a message out, in whoever's hand it is.
func (e *Endpoint) Remove(queue, messageID string, copy int) {
	e.do(func(now time.Time) {
		q, refused := e.account.find(queue)
		if refused != nil {
			return
		}
		if c := q.find(messageID, copy); c != nil {
			q.remove(c)
			q.log(now, Gone, c, Event{})
		}
	})
}

// Counts is how many copies the queue holds now. A queue that does not exist
// holds none.
func (e *Endpoint) Counts(queue string) Counts {
	s, _, _ := e.look(queue)
	return s.Counts
}

// Polling is how many receives wait in a long poll now. One whose client died
// counts until the end of its connection has arrived here: wait for the number
// to fall before sending what only the next worker may get.
func (e *Endpoint) Polling(queue string) int {
	s, _, _ := e.look(queue)
	return s.Polling
}

// Log is a copy of everything that happened in the queue, in order.
func (e *Endpoint) Log(queue string) []Event {
	s, _, _ := e.look(queue)
	return slices.Clone(s.Events)
}
