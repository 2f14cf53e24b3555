package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// startLimit bounds a start whose context has no earlier deadline.
const startLimit = time.Minute

// kind is what Redis's process needs to know of itself.
var kind = process.Kind{Name: "Redis", Accounts: []string{"redis", "valkey"}, PIDFile: "server.pid"}

// Server is one running throw-away Redis.
type Server struct {
	settings []string
	group    *process.Group
}

// Start serves an empty Redis, with settings as in redis.conf, such as
// "appendonly yes", besides its own. The context bounds the start only: a server
// that has started runs until Stop, or until the calling process ends. The error
// may be a *NotInstalledError.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	return start(ctx, process.FreePort, settings...)
}

func start(ctx context.Context, freePort func() (int, error), settings ...string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	program, err := find(usualPlaces)
	if err != nil {
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	group, err := process.Prepare(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	s := &Server{settings: settings, group: group}
	daemon := process.Daemon{Program: program, Args: s.args, Answers: s.answers, FreePort: freePort}
	if err := group.Serve(ctx, daemon); err != nil {
		return nil, fmt.Errorf("start Redis: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

// Restart kills the server by SIGKILL and starts it again on the same port, with
// the data only under "appendonly yes". It must not run beside another Restart or
// Stop.
func (s *Server) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.group.Restart(ctx); err != nil {
		return fmt.Errorf("restart Redis: %w", err)
	}
	return nil
}

// Stop ends the server at once and removes its folder. Only the first call does
// so; every call returns the same error.
func (s *Server) Stop() error { return s.group.Stop() }

// URL is the address of the server's database 0: redis://127.0.0.1:port/0.
func (s *Server) URL() string {
	u := url.URL{Scheme: "redis", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())), Path: "/0"}
	return u.String()
}

// Port is the server's port on 127.0.0.1.
func (s *Server) Port() int { return s.group.Port }
