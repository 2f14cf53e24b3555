package celery

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/inredis"
	"github.com/twiceproof/twiceproof/wire"
)

// redisBroker is a Redis of the lab.
type redisBroker struct {
	*copies
	*inredis.Server

	mu    sync.Mutex
	first map[string]*wire.Armed // the first poll of each worker, which is held
}

func startRedis(ctx context.Context, c *copies) (r *redisBroker, err error) {
	r = &redisBroker{copies: c, first: map[string]*wire.Armed{}}
	r.Server, err = inredis.Start(ctx, r.watch)
	return r, err
}

func (r *redisBroker) listen(gate *wire.Gate, worker string) (queue.Way, error) {
	first := gate.Arm(wire.Fault{Match: isPoll, Do: wire.Hold})
	r.mu.Lock()
	r.first[worker] = first
	r.mu.Unlock()
	return r.Listen(gate, worker)
}

func (r *redisBroker) direct() queue.Addresses { return r.Direct() }

func (r *redisBroker) push(place string, messages ...message) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	var texts []any
	for _, m := range messages {
		texts = append(texts, m.encode())
	}
	if err := r.Client.LPush(ctx, place, texts...).Err(); err != nil {
		return fmt.Errorf("put a message on %s: %w", place, err)
	}
	return nil
}

// The keys of what was taken and not acknowledged.
const (
	unacked = "unacked"
	index   = "unacked_index"
)

// swap does what a worker of Celery does about what is overdue. Nothing, when one was
// quicker.
const swap = `
if redis.call("HDEL", KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call("ZREM", KEYS[2], ARGV[1])
return redis.call("RPUSH", KEYS[3], ARGV[2])`

func (r *redisBroker) replace(d due) error {
	if d.in == "" {
		return r.push(d.place, d.message)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	if err := r.Client.Eval(ctx, swap, []string{unacked, index, d.place}, d.in, d.encode()).Err(); err != nil {
		return fmt.Errorf("put a message that is due on %s: %w", d.place, err)
	}
	return nil
}

func (r *redisBroker) pass(d time.Duration) error { return r.Age(d) }

func (r *redisBroker) follow(time.Duration) {} // what crosses the wire is known at once

func (r *redisBroker) empty(places []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	if err := r.Client.Del(ctx, append(places, unacked, index)...).Err(); err != nil {
		return fmt.Errorf("lose the messages: %w", err)
	}
	return nil
}

// command tells a worker to tell its task events, and asks it when it acknowledges. It
// listens for such commands a moment after it has asked for messages; one that never does
// is taken as it is.
func (r *redisBroker) command(worker string) {
	const patience, pause = 3 * time.Second, 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for ctx.Err() == nil && r.isDeaf(worker) {
		r.Client.SAdd(ctx, "_kombu.binding."+answer, strings.Join([]string{answerTo, "", answerTo + "." + answer}, separator))
		for _, m := range commands() {
			r.Client.Publish(ctx, "/0."+remote, m.encode()) // it is answered, or tried again
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first[worker].Release()
}

// wake sends a worker that has nothing to do and does not ask a command for nobody, which
// ends the sleep of its loop. Counter-example: Celery 5.2 looks whether it may ask before it
// acknowledges, where its prefetch is used up, and asks up to a second later. A race of a
// hundred runs took five minutes by that.
func (r *redisBroker) wake(worker string) {
	const moment = 20 * time.Millisecond
	time.AfterFunc(moment, func() {
		if r.isAway(worker) {
			ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
			defer cancel()
			r.Client.Publish(ctx, "/0."+remote, command("ping", nil, "nobody").encode()) // or it asks by itself
		}
	})
}

func (r *redisBroker) version() map[string]string { return r.Versions() }

func (r *redisBroker) close() error { return r.Close() }
