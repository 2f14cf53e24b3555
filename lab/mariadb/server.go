package mariadb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// startLimit bounds a start whose context has no earlier deadline.
const startLimit = time.Minute

// Server is one running throw-away MariaDB.
type Server struct {
	programs programs
	settings []string
	group    *process.Group
}

// Start makes the first files of a server and serves them, with settings such
// as "innodb-snapshot-isolation=ON" besides its own. The context bounds the
// start only: a server that has started runs until Stop, or until the calling
// process ends. The error may be a *NotInstalledError.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	return start(ctx, process.FreePort, settings...)
}

func start(ctx context.Context, freePort func() (int, error), settings ...string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	programs, err := find(usualPlaces)
	if err != nil {
		return nil, fmt.Errorf("start MariaDB: %w", err)
	}
	group, err := process.Prepare(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("start MariaDB: %w", err)
	}
	s := &Server{programs: programs, settings: settings, group: group}
	if err := s.install(ctx); err != nil {
		return nil, fmt.Errorf("start MariaDB: %w", errors.Join(err, s.Stop()))
	}
	daemon := process.Daemon{Program: programs.server, Args: s.args, Answers: s.answers, FreePort: freePort}
	if err := group.Serve(ctx, daemon); err != nil {
		return nil, fmt.Errorf("start MariaDB: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

// Restart kills the server by SIGKILL and starts it again on the same data and
// port. It must not run beside another Restart or Stop.
func (s *Server) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.group.Restart(ctx); err != nil {
		return fmt.Errorf("restart MariaDB: %w", err)
	}
	return nil
}

// Stop ends the server at once and removes its folder. Only the first call
// does so; every call returns the same error.
func (s *Server) Stop() error { return s.group.Stop() }

// DSN is the address of one of the server's databases, in the form of
// go-sql-driver/mysql, with parseTime. A new server has none but its own.
func (s *Server) DSN(database string) string { return s.config(database).FormatDSN() }

// Port is the server's port on 127.0.0.1.
func (s *Server) Port() int { return s.group.Port }
