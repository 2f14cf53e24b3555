package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// startLimit bounds a start whose context has no earlier deadline.
const startLimit = time.Minute

// Server is one running throw-away PostgreSQL.
type Server struct {
	bin      string // the folder of the server programs
	settings []string
	group    *process.Group
}

// Start makes a new database cluster and serves it, with settings such as
// "fsync=on" besides its own. The context bounds the start only: a server that
// has started runs until Stop, or until the calling process ends. The error may
// be a *NotInstalledError.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	return start(ctx, process.FreePort, settings...)
}

func start(ctx context.Context, freePort func() (int, error), settings ...string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	bin, err := usualPlaces.find(ctx)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	group, err := process.Prepare(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	s := &Server{bin: bin, settings: settings, group: group}
	if err := s.initdb(ctx); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", errors.Join(err, s.Stop()))
	}
	if err := group.Serve(ctx, s.daemon(freePort)); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

// Restart kills the server by SIGKILL and starts it again on the same data and
// port. What it had committed is still there, since the machine has not crashed.
// It must not run beside another Restart or Stop.
func (s *Server) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.group.Restart(ctx); err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	return nil
}

// Stop ends the server at once and removes its folder. Only the first call
// does so; every call returns the same error.
func (s *Server) Stop() error { return s.group.Stop() }

// Port is the server's port on 127.0.0.1.
func (s *Server) Port() int { return s.group.Port }
