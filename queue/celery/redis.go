package celery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	lab "github.com/twiceproof/twiceproof/lab/redis"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// redisBroker is a Redis of the lab.
type redisBroker struct {
	*copies
	server *lab.Server
	client *redis.Client
	gate   *wire.Gate // of what is no worker
	way    *respwire.Proxy

	mu    sync.Mutex
	first map[string]*wire.Armed // the first poll of each worker, which is held
}

func startRedis(ctx context.Context, c *copies) (*redisBroker, error) {
	server, err := lab.Start(ctx)
	if err != nil {
		return nil, err
	}
	logging.Disable() // what it would print comes back as an error
	r := &redisBroker{copies: c, server: server, gate: wire.NewGate(nil), first: map[string]*wire.Armed{}}
	r.client = redis.NewClient(&redis.Options{Addr: r.address(), Protocol: 2, DisableIdentity: true})
	if r.way, err = respwire.Listen(r.gate, queue.Peer, r.address(), r.watch("")); err != nil {
		_ = r.close()
		return nil, err
	}
	return r, nil
}

func (r *redisBroker) address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.server.Port()))
}

type redisWay struct{ *respwire.Proxy }

func (w redisWay) Addresses() queue.Addresses {
	return queue.Addresses{Broker: "redis://" + w.Addr() + "/0"}
}

func (r *redisBroker) listen(gate *wire.Gate, worker string) (queue.Way, error) {
	first := gate.Arm(wire.Fault{Match: isPoll, Do: wire.Hold})
	r.mu.Lock()
	r.first[worker] = first
	r.mu.Unlock()
	p, err := respwire.Listen(gate, queue.Peer, r.address(), r.watch(worker))
	return redisWay{p}, err
}

func (r *redisBroker) direct() queue.Addresses { return redisWay{r.way}.Addresses() }

func (r *redisBroker) push(place string, messages ...message) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	var texts []any
	for _, m := range messages {
		texts = append(texts, m.encode())
	}
	if err := r.client.LPush(ctx, place, texts...).Err(); err != nil {
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
	if err := r.client.Eval(ctx, swap, []string{unacked, index, d.place}, d.in, d.encode()).Err(); err != nil {
		return fmt.Errorf("put a message that is due on %s: %w", d.place, err)
	}
	return nil
}

// older brings every expiry nearer: Redis's own clock cannot be moved, and a lock that a
// worker has set there must not outlive what the queue waited for.
const older = `
for _, key in ipairs(redis.call("KEYS", "*")) do
  local left = redis.call("PTTL", key)
  if left > 0 then redis.call("PEXPIRE", key, left - ARGV[1]) end
end`

func (r *redisBroker) pass(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	if err := r.client.Eval(ctx, older, nil, d.Milliseconds()).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("let time pass for what expires: %w", err)
	}
	return nil
}

func (r *redisBroker) follow(time.Duration) {} // what crosses the wire is known at once

func (r *redisBroker) empty(places []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	if err := r.client.Del(ctx, append(places, unacked, index)...).Err(); err != nil {
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
		r.client.SAdd(ctx, "_kombu.binding."+answer, strings.Join([]string{answerTo, "", answerTo + "." + answer}, separator))
		for _, m := range commands() {
			r.client.Publish(ctx, "/0."+remote, m.encode()) // it is answered, or tried again
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
			r.client.Publish(ctx, "/0."+remote, command("ping", nil, "nobody").encode()) // or it asks by itself
		}
	})
}

func (r *redisBroker) version() map[string]string {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	info, _ := r.client.Info(ctx, "server").Result()
	for line := range strings.Lines(info) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "redis_version:"); ok {
			return map[string]string{"redis": version}
		}
	}
	return map[string]string{"redis": "unknown"}
}

func (r *redisBroker) close() error {
	if r.way != nil {
		r.way.Close()
	}
	r.gate.Close()
	_ = r.client.Close()
	return r.server.Stop()
}
