package sidekiq

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/inredis"
)

// Queue is one Redis with its jobs.
type Queue struct {
	*queue.Ledger
	*inredis.Server
	class string
}

// Start makes an empty Redis. The class is the worker class of jobs whose message names
// none. The error may be a *lab.NotInstalledError.
func Start(ctx context.Context, class string) (q *Queue, err error) {
	q = &Queue{Ledger: queue.NewLedger(), class: class}
	q.Server, err = inredis.Start(ctx, q.watch)
	return q, err
}

// Send puts one job on.
func (q *Queue) Send(m queue.Message) (string, error) { return q.send(m, 1) }

// SendTwice puts the same job on twice, by one command.
func (q *Queue) SendTwice(m queue.Message) (string, error) { return q.send(m, 2) }

func (q *Queue) send(m queue.Message, copies int) (string, error) {
	j, text, err := q.payload(m)
	if err != nil {
		return "", err
	}
	for n := range copies {
		kind := queue.Sent
		if n > 0 {
			kind = queue.Redelivered
		}
		q.Put(kind, j.JID, queuePrefix+j.Queue, text)
	}
	return j.JID, q.push(queuePrefix+j.Queue, slices.Repeat([]any{text}, copies)...)
}

// SendPair puts two jobs on, by one command.
func (q *Queue) SendPair(m queue.Message) error {
	var texts []any
	var place string
	for range 2 {
		j, text, err := q.payload(m)
		if err != nil {
			return err
		}
		place = queuePrefix + j.Queue
		q.Put(queue.Sent, j.JID, place, text)
		texts = append(texts, text)
	}
	return q.push(place, texts...)
}

// push is what Sidekiq's client does.
func (q *Queue) push(place string, texts ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), inredis.AnswerLimit)
	defer cancel()
	_, err := q.Client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.SAdd(ctx, "queues", strings.TrimPrefix(place, queuePrefix))
		p.LPush(ctx, place, texts...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("put a job on %s: %w", place, err)
	}
	return nil
}

// Redeliver puts the same JSON on again.
func (q *Queue) Redeliver(id string) error {
	place, text, ok := q.Known(id)
	if !ok {
		return fmt.Errorf("redeliver: no job %s was ever put on", id)
	}
	q.Put(queue.Redelivered, id, place, text)
	return q.push(place, text)
}

// Lose empties the queues and the sets.
func (q *Queue) Lose() error {
	ctx, cancel := context.WithTimeout(context.Background(), inredis.AnswerLimit)
	defer cancel()
	for _, c := range q.Ledger.Lose() {
		if err := q.Client.Del(ctx, c.Place, c.Kept).Err(); err != nil {
			return fmt.Errorf("lose the jobs: %w", err)
		}
	}
	return nil
}

// take takes a job out of a set, unless somebody else has.
const take = `return redis.call("ZREM", KEYS[1], ARGV[1])`

// Advance puts on what is due, and what is in no hand that lives.
func (q *Queue) Advance(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), inredis.AnswerLimit)
	defer cancel()
	due, forced := q.Ledger.Advance(d)
	for _, c := range due {
		n, err := q.Client.Eval(ctx, take, []string{c.Place}, c.Payload).Int()
		if err != nil {
			return fmt.Errorf("take a job that is due from %s: %w", c.Place, err)
		}
		if n == 0 { // a worker's own poller was quicker
			q.Foreseen(c.Message)
			continue
		}
		if j, ok := read(c.Payload); ok {
			if err := q.push(queuePrefix+j.Queue, c.Payload); err != nil {
				return err
			}
		}
	}
	for _, c := range forced {
		if err := q.push(c.Place, c.Payload); err != nil {
			return err
		}
	}
	return q.reclaim(ctx)
}

// Close ends the server.
func (q *Queue) Close() error {
	q.Ledger.Close()
	return q.Server.Close()
}
