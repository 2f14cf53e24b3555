package postgres

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// one is the server that tests share which do not end it.
var one = sync.OnceValues(func() (*Server, error) { return Start(context.Background()) })

func TestMain(m *testing.M) { processtest.Main(m, beOwner) }

func shared(t *testing.T) *Server {
	t.Helper()
	s, err := one()
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	return s
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
	info, err := os.Stat(shared(t).group.Dir)
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
		t.Fatal(processtest.Explain(err))
	}
	if first.DSN("postgres") == second.DSN("postgres") {
		t.Errorf("two servers on %s", first.DSN("postgres"))
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	processtest.Gone(t, second.group.Dir, second.Port())
	if err := second.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if got := query(t, connect(t, first.DSN("postgres")), "SELECT 'alive'"); got != "alive" {
		t.Error(got)
	}
}
