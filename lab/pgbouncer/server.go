package pgbouncer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// startLimit bounds a start whose context has no earlier deadline.
const startLimit = time.Minute

// kind is what PgBouncer's process needs to know of itself.
var kind = process.Kind{Name: "PgBouncer", Accounts: []string{"pgbouncer", "postgres"}, PIDFile: "server.pid"}

// Server is one running throw-away PgBouncer.
type Server struct {
	program  string
	settings settings
	group    *process.Group
}

// Start runs PgBouncer before the server. The mode is "session", "transaction"
// or "statement"; each database has at most poolSize connections to the server.
// The context bounds the start only. The error may be a *NotInstalledError.
func Start(ctx context.Context, server *postgres.Server, mode string, poolSize int) (*Server, error) {
	return start(ctx, process.FreePort, settings{server.Port(), mode, poolSize})
}

func start(ctx context.Context, freePort func() (int, error), settings settings) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	program, err := find(usualPlaces)
	if err != nil {
		return nil, fmt.Errorf("start PgBouncer: %w", err)
	}
	group, err := process.Prepare(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("start PgBouncer: %w", err)
	}
	s := &Server{program: program, settings: settings, group: group}
	if err := s.serve(ctx, freePort); err != nil {
		return nil, fmt.Errorf("start PgBouncer: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

func (s *Server) serve(ctx context.Context, freePort func() (int, error)) error {
	if err := s.group.WriteFile(usersFile, users); err != nil {
		return err
	}
	return s.group.Serve(ctx, process.Daemon{
		Program:  s.program,
		Args:     s.args,
		Answers:  s.answers,
		FreePort: freePort,
	})
}

// args writes the settings file, since PgBouncer reads its port there only.
func (s *Server) args(port int) ([]string, error) {
	err := s.group.WriteFile(settingsFile, s.settings.text(port, s.group))
	return []string{s.group.Path(settingsFile)}, err
}

// answers asks for the process id's file, which no other PgBouncer has.
func (s *Server) answers(ctx context.Context) error {
	conn, err := pgconn.Connect(ctx, s.DSN("pgbouncer")) // its console
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	results, err := conn.Exec(ctx, "SHOW CONFIG").ReadAll()
	if err != nil {
		return err
	}
	for _, result := range results {
		for _, row := range result.Rows {
			if string(row[0]) == "pidfile" && string(row[1]) == s.group.Path(kind.PIDFile) {
				return nil
			}
		}
	}
	return process.ErrPortTaken
}

// DSN is the address of one of the server's databases by way of the pool.
func (s *Server) DSN(database string) string {
	dsn := url.URL{
		Scheme:   "postgresql",
		User:     url.User(superuser),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.group.Port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return dsn.String()
}

// Stop ends it at once and removes its folder. Only the first call does so;
// every call returns the same error.
func (s *Server) Stop() error { return s.group.Stop() }
