// Package inredis is what Sidekiq, Celery and RQ have in common where they keep their
// messages in Redis: an empty server of the lab, with a proxy in front of it for each worker
// and one for whoever is none.
//
// Hard rule: it knows no queue. What a command means to a message is told by who watches.
package inredis

import (
	"context"
	"fmt"
	"net"
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

// AnswerLimit bounds one command of the replay's own.
const AnswerLimit = 10 * time.Second

// Server is one Redis. It may be used by several goroutines.
type Server struct {
	// Client is the replay's own: what it says is seen by nobody.
	Client *redis.Client
	server *lab.Server
	watch  func(worker string) respwire.Options
	gate   *wire.Gate // of what is no worker
	direct *respwire.Proxy
}

// Start makes an empty Redis. What crosses a worker's proxy is told to what watch gives for
// it, and what crosses Direct to what it gives for "". The error may be a
// *lab.NotInstalledError.
func Start(ctx context.Context, watch func(worker string) respwire.Options) (*Server, error) {
	server, err := lab.Start(ctx)
	if err != nil {
		return nil, err
	}
	logging.Disable() // what it would print comes back as an error
	s := &Server{server: server, watch: watch, gate: wire.NewGate(nil)}
	s.Client = redis.NewClient(&redis.Options{Addr: s.address(), Protocol: 2, DisableIdentity: true})
	if s.direct, err = respwire.Listen(s.gate, queue.Peer, s.address(), watch("")); err != nil {
		_ = s.Close() // what it could not listen for is told
		return nil, err
	}
	return s, nil
}

func (s *Server) address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.server.Port()))
}

type way struct{ *respwire.Proxy }

func (w way) Addresses() queue.Addresses {
	return queue.Addresses{Broker: "redis://" + w.Addr() + "/0"}
}

// Listen makes a worker's proxy.
func (s *Server) Listen(gate *wire.Gate, worker string) (queue.Way, error) {
	p, err := respwire.Listen(gate, queue.Peer, s.address(), s.watch(worker))
	return way{p}, err
}

// Direct is a proxy of its own, so that what is put on is seen.
func (s *Server) Direct() queue.Addresses { return way{s.direct}.Addresses() }

// older brings every expiry nearer: Redis's own clock cannot be moved, and a lock that a
// worker has set there must not outlive what the queue waited for.
const older = `
for _, key in ipairs(redis.call("KEYS", "*")) do
  local left, renewed = redis.call("PTTL", key), false
  for i = 2, #ARGV do renewed = renewed or string.sub(key, 1, #ARGV[i]) == ARGV[i] end
  if left > 0 and not renewed then redis.call("PEXPIRE", key, left - ARGV[1]) end
end
return 1`

// Age lets time pass for what expires, but for keys that begin so: those that whoever lives
// renews.
func (s *Server) Age(d time.Duration, renewed ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerLimit)
	defer cancel()
	args := []any{d.Milliseconds()}
	for _, prefix := range renewed {
		args = append(args, prefix)
	}
	if err := s.Client.Eval(ctx, older, nil, args...).Err(); err != nil {
		return fmt.Errorf("let time pass for what expires: %w", err)
	}
	return nil
}

// Versions are those of Redis.
func (s *Server) Versions() map[string]string {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerLimit)
	defer cancel()
	info, _ := s.Client.Info(ctx, "server").Result()
	for line := range strings.Lines(info) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "redis_version:"); ok {
			return map[string]string{"redis": version}
		}
	}
	return map[string]string{"redis": "unknown"}
}

// Close ends the server.
func (s *Server) Close() error {
	if s.direct != nil {
		s.direct.Close()
	}
	s.gate.Close()
	_ = s.Client.Close() // its server goes with it
	return s.server.Stop()
}
