package rq

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/inredis"
)

// Queue is one Redis with its jobs.
type Queue struct {
	*queue.Ledger
	*inredis.Server
	function  string
	sent      map[string]message // by the replay itself
	pool      map[string]int     // workers of RQ in each of the replay's
	scheduler bool               // some worker has one
}

// Start makes an empty Redis. The function is that of jobs. The error may be a
// *lab.NotInstalledError.
func Start(ctx context.Context, function string) (q *Queue, err error) {
	q = &Queue{Ledger: queue.NewLedger(), function: function, sent: map[string]message{}, pool: map[string]int{}}
	q.Server, err = inredis.Start(ctx, q.watch)
	return q, err
}

// Send puts one job on.
func (q *Queue) Send(m queue.Message) (string, error) { return q.send(m, queue.Sent) }

// SendTwice puts the same job on twice: its hash once, and its id twice.
func (q *Queue) SendTwice(m queue.Message) (string, error) {
	return q.send(m, queue.Sent, queue.Redelivered)
}

func (q *Queue) send(template queue.Message, copies ...queue.Kind) (string, error) {
	m, err := newMessage(q.function, template, time.Now())
	if err != nil {
		return "", err
	}
	return m.id, q.put(m, copies...)
}

func (q *Queue) put(m message, copies ...queue.Kind) error {
	q.Lock()
	q.sent[m.id] = m
	q.Unlock()
	for _, kind := range copies {
		q.Put(kind, m.id, queuePrefix+m.queue, nil)
	}
	return q.pipe(func(ctx context.Context, p redis.Pipeliner) { push(ctx, p, m, len(copies)) })
}

// push is what RQ's client does.
func push(ctx context.Context, p redis.Pipeliner, m message, copies int) {
	p.SAdd(ctx, "rq:queues", queuePrefix+m.queue)
	p.HSet(ctx, jobPrefix+m.id, m.fields)
	for range copies {
		p.RPush(ctx, queuePrefix+m.queue, m.id)
	}
}

// SendPair puts two jobs on that differ in their ids alone.
func (q *Queue) SendPair(template queue.Message) error {
	m, err := newMessage(q.function, template, time.Now())
	if err != nil {
		return err
	}
	other := m
	other.id = uuid.NewString()
	for _, one := range []message{m, other} {
		q.Put(queue.Sent, one.id, queuePrefix+one.queue, nil)
	}
	return q.pipe(func(ctx context.Context, p redis.Pipeliner) { push(ctx, p, m, 1); push(ctx, p, other, 1) })
}

// Redeliver puts the id on again. Its hash is as the last delivery has left it; one that is
// gone, which no worker would look at, is made anew.
func (q *Queue) Redeliver(id string) error {
	place, _, ok := q.Known(id)
	if !ok {
		return fmt.Errorf("redeliver: no job %s was ever put on", id)
	}
	q.Put(queue.Redelivered, id, place, nil)
	return q.enqueue(id, place)
}

// enqueue puts on what is known to be on already.
func (q *Queue) enqueue(id, place string) error {
	q.Lock()
	m, own := q.sent[id]
	q.Unlock()
	return q.pipe(func(ctx context.Context, p redis.Pipeliner) {
		for name, value := range m.fields {
			if own {
				p.HSetNX(ctx, jobPrefix+id, name, value)
			}
		}
		p.Persist(ctx, jobPrefix+id)
		p.HSet(ctx, jobPrefix+id, "status", queued)
		p.ZRem(ctx, failedPrefix+strings.TrimPrefix(place, queuePrefix), id)
		p.RPush(ctx, place, id)
	})
}

func (q *Queue) pipe(say func(context.Context, redis.Pipeliner)) error {
	ctx, cancel := context.WithTimeout(context.Background(), inredis.AnswerLimit)
	defer cancel()
	if _, err := q.Client.TxPipelined(ctx, func(p redis.Pipeliner) error { say(ctx, p); return nil }); err != nil {
		return fmt.Errorf("put a job on: %w", err)
	}
	return nil
}

// Lose empties the queues and the registries.
func (q *Queue) Lose() error {
	gone := q.Ledger.Lose()
	return q.pipe(func(ctx context.Context, p redis.Pipeliner) {
		for _, c := range gone {
			name := strings.TrimPrefix(c.Place, queuePrefix)
			p.Del(ctx, jobPrefix+c.Message, queuePrefix+name, queuePrefix+name+between, startedPrefix+name, scheduledPrefix+name)
		}
	})
}

// Close ends the server.
func (q *Queue) Close() error {
	q.Ledger.Close()
	return q.Server.Close()
}
