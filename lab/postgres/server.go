package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// startLimit bounds a start whose context has no earlier deadline.
const startLimit = time.Minute

// Server is one running throw-away PostgreSQL.
type Server struct {
	bin      string // the folder of the server programs
	dir      string // everything the server writes
	owner    *owner
	watchdog *watchdog
	freePort func() (int, error)

	port   int
	exited chan struct{} // closed when the server's process has ended; nil before it starts

	stop    sync.Once
	stopErr error
}

// Start makes a new database cluster and serves it. The context bounds the
// start only: a server that has started runs until Stop, or until the calling
// process ends. The error may be a *NotInstalledError.
func Start(ctx context.Context) (*Server, error) {
	return start(ctx, freePort)
}

func start(ctx context.Context, freePort func() (int, error)) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	s, err := prepare(ctx)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.freePort = freePort
	if err := s.initdb(ctx); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", errors.Join(err, s.Stop()))
	}
	if err := s.serve(ctx); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

// prepare finds the programs, makes the folder and sets the watchdog on it.
func prepare(ctx context.Context) (*Server, error) {
	bin, err := usualPlaces.find(ctx)
	if err != nil {
		return nil, err
	}
	owner, err := chooseOwner()
	if err != nil {
		return nil, err
	}
	dir, err := privateFolder(owner)
	if err != nil {
		return nil, err
	}
	watchdog, err := startWatchdog(ctx, dir, owner)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Server{bin: bin, dir: dir, owner: owner, watchdog: watchdog}, nil
}

// DSN is the address of one of the server's databases, in the form that libpq
// and the drivers of all three languages read. A new server has "postgres".
func (s *Server) DSN(database string) string {
	dsn := url.URL{
		Scheme:   "postgresql",
		User:     url.User(superuser),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return dsn.String()
}

// Stop ends the server at once and removes its folder. Only the first call
// does so; every call returns the same error.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		err := s.watchdog.end()
		if s.exited != nil {
			<-s.exited // the group is gone, so this does not wait
		}
		s.stopErr = errors.Join(err, os.RemoveAll(s.dir))
	})
	return s.stopErr
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// name is told to the server and asked back, so that no other server that
// happens to listen on the port is taken for ours.
func (s *Server) name() string { return filepath.Base(s.dir) }

// freePort lets the kernel choose. PostgreSQL cannot take over a socket, so
// another process may take the port before the server does: serve tries again.
func freePort() (int, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
