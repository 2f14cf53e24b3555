package sidekiq

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	lab "github.com/twiceproof/twiceproof/lab/redis"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// Queue is one Redis with its jobs.
type Queue struct {
	*queue.Ledger
	class  string
	server *lab.Server
	client *redis.Client
	gate   *wire.Gate // of what is no worker
	direct *respwire.Proxy
}

// answerLimit bounds one command of the replay's own.
const answerLimit = 10 * time.Second

// Start makes an empty Redis. The class is the worker class of jobs whose message names
// none. The error may be a *lab.NotInstalledError.
func Start(ctx context.Context, class string) (*Queue, error) {
	server, err := lab.Start(ctx)
	if err != nil {
		return nil, err
	}
	q := &Queue{Ledger: queue.NewLedger(), class: class, server: server, gate: wire.NewGate(nil)}
	logging.Disable() // what it would print comes back as an error
	q.client = redis.NewClient(&redis.Options{Addr: address(server), Protocol: 2, DisableIdentity: true})
	if q.direct, err = respwire.Listen(q.gate, queue.Peer, address(server), q.watch("")); err != nil {
		_ = q.Close()
		return nil, err
	}
	return q, nil
}

func address(s *lab.Server) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())) }

type way struct{ *respwire.Proxy }

func (w way) Addresses() queue.Addresses {
	return queue.Addresses{Broker: "redis://" + w.Addr() + "/0"}
}

// Listen makes a worker's proxy.
func (q *Queue) Listen(gate *wire.Gate, worker string) (queue.Way, error) {
	p, err := respwire.Listen(gate, queue.Peer, address(q.server), q.watch(worker))
	return way{p}, err
}

// Direct is a proxy of its own, so that what is put on is seen.
func (q *Queue) Direct() queue.Addresses { return way{q.direct}.Addresses() }

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
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	_, err := q.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
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
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	for _, c := range q.Ledger.Lose() {
		if err := q.client.Del(ctx, c.Place, c.Kept).Err(); err != nil {
			return fmt.Errorf("lose the jobs: %w", err)
		}
	}
	return nil
}

// take takes a job out of a set, unless somebody else has.
const take = `return redis.call("ZREM", KEYS[1], ARGV[1])`

// Advance puts on what is due, and what is in no hand that lives.
func (q *Queue) Advance(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	due, forced := q.Ledger.Advance(d)
	for _, c := range due {
		n, err := q.client.Eval(ctx, take, []string{c.Place}, c.Payload).Int()
		if err != nil {
			return fmt.Errorf("take a job that is due from %s: %w", c.Place, err)
		}
		if n == 0 { // a worker's own poller was quicker
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

// Versions are those of Redis.
func (q *Queue) Versions() map[string]string {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	info, _ := q.client.Info(ctx, "server").Result()
	for line := range strings.Lines(info) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "redis_version:"); ok {
			return map[string]string{"redis": version}
		}
	}
	return map[string]string{"redis": "unknown"}
}

// Close ends the server.
func (q *Queue) Close() error {
	q.Ledger.Close()
	if q.direct != nil {
		q.direct.Close()
	}
	q.gate.Close()
	_ = q.client.Close()
	return q.server.Stop()
}
