package postgres

import (
	"context"
	"net"
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

const superuser = "postgres"

// kind is what PostgreSQL's processes need to know of themselves.
var kind = process.Kind{
	Name:      "PostgreSQL",
	Accounts:  []string{"postgres"},
	PIDFile:   "data/postmaster.pid",
	Lingering: "pre-existing shared memory block", // of a backend that has not noticed yet
}

func (s *Server) initdb(ctx context.Context) error {
	return s.group.Run(ctx, filepath.Join(s.bin, "initdb"), "--pgdata="+s.data(), "--username="+superuser,
		"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
}

func (s *Server) daemon(freePort func() (int, error)) process.Daemon {
	return process.Daemon{
		Program:  filepath.Join(s.bin, "postgres"),
		Args:     s.args,
		Answers:  s.answers,
		FreePort: freePort,
	}
}

func (s *Server) args(port int) ([]string, error) {
	args := []string{"-D", s.data()}
	for _, setting := range append([]string{
		"port=" + strconv.Itoa(port),
		"listen_addresses=127.0.0.1",
		"unix_socket_directories=",
		"cluster_name=" + s.name(),
		"fsync=off",
		"full_page_writes=off",
		"max_connections=200",
		"shared_buffers=32MB",
		"dynamic_shared_memory_type=mmap", // inside the folder, so that nothing is left behind
		"timezone=UTC",
		"log_timezone=UTC",
	}, s.settings...) { // the last one of a name counts
		args = append(args, "-c", setting)
	}
	return args, nil
}

func (s *Server) answers(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var name string
	if err := conn.QueryRow(ctx, "SHOW cluster_name").Scan(&name); err != nil {
		return err
	}
	if name != s.name() {
		return process.ErrPortTaken
	}
	return nil
}

// DSN is the address of one of the server's databases, in the form that libpq
// and the drivers of all three languages read. A new server has "postgres".
func (s *Server) DSN(database string) string {
	dsn := url.URL{
		Scheme:   "postgresql",
		User:     url.User(superuser),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return dsn.String()
}

func (s *Server) data() string { return s.group.Path("data") }

// name is told to the server and asked back, so that no other server that
// happens to listen on the port is taken for ours.
func (s *Server) name() string { return filepath.Base(s.group.Dir) }
