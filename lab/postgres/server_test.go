package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// one is the server that tests share which do not end it.
var one = sync.OnceValues(func() (*Server, error) { return Start(context.Background()) })

func TestMain(m *testing.M) {
	if os.Getenv(ownerEnv) != "" {
		beOwner()
		return
	}
	os.Exit(m.Run()) // the shared server ends with this process
}

func shared(t *testing.T) *Server {
	t.Helper()
	s, err := one()
	if err != nil {
		t.Fatal(explain(err))
	}
	return s
}

func explain(err error) string {
	var missing *NotInstalledError
	if errors.As(err, &missing) {
		return fmt.Sprintf("%v\nhint: %s", err, missing.Hint())
	}
	return err.Error()
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func query(t *testing.T, conn *pgx.Conn, sql string) string {
	t.Helper()
	var value string
	if err := conn.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func TestServerIsPrivate(t *testing.T) {
	conn := connect(t, shared(t).DSN("postgres"))
	for _, c := range []struct{ setting, want string }{
		{"listen_addresses", "127.0.0.1"},
		{"unix_socket_directories", ""},
		{"fsync", "off"},
		{"synchronous_commit", "on"},
		{"server_encoding", "UTF8"},
	} {
		if got := query(t, conn, "SHOW "+c.setting); got != c.want {
			t.Errorf("%s = %q, want %q", c.setting, got, c.want)
		}
	}
	info, err := os.Stat(shared(t).dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v", info.Mode())
	}
}

func TestSeveralAtOnceAndStop(t *testing.T) {
	first := shared(t)
	second, err := Start(t.Context())
	if err != nil {
		t.Fatal(explain(err))
	}
	if first.DSN("postgres") == second.DSN("postgres") {
		t.Errorf("two servers on %s", first.DSN("postgres"))
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	assertGone(t, second.dir, second.port)
	if err := second.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if got := query(t, connect(t, first.DSN("postgres")), "SELECT 'alive'"); got != "alive" {
		t.Error(got)
	}
}

// assertGone checks that a stopped server left neither folder nor listener.
func assertGone(t *testing.T, dir string, port int) {
	t.Helper()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if !silent(port) {
		t.Errorf("port %d still answers", port)
	}
}

func silent(port int) bool {
	conn, err := net.DialTCP("tcp4", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return true
	}
	_ = conn.Close()
	return false
}
