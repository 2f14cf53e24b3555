package mariadb

import (
	"context"
	"database/sql"
	"os"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

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

func own(t *testing.T, settings ...string) *Server {
	t.Helper()
	s, err := Start(t.Context(), settings...)
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// connect opens one single connection.
func connect(t *testing.T, dsn string) *sql.Conn {
	t.Helper()
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func run(t *testing.T, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func query(t *testing.T, conn *sql.Conn, statement string) string {
	t.Helper()
	var value string
	if err := conn.QueryRowContext(t.Context(), statement).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

func TestServerIsPrivate(t *testing.T) {
	conn := connect(t, shared(t).DSN(""))
	for _, c := range []struct{ variable, want string }{
		{"bind_address", "127.0.0.1"},
		{"socket", ""},
		{"character_set_server", "utf8mb4"},
		{"time_zone", "+00:00"},
		{"log_bin", "0"},
	} {
		if got := query(t, conn, "SELECT @@"+c.variable); got != c.want {
			t.Errorf("%s = %q, want %q", c.variable, got, c.want)
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
	first, second := shared(t), own(t)
	if first.DSN("") == second.DSN("") {
		t.Errorf("two servers on %s", first.DSN(""))
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	processtest.Gone(t, second.group.Dir, second.Port())
	if err := second.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if got := query(t, connect(t, first.DSN("")), "SELECT 'alive'"); got != "alive" {
		t.Error(got)
	}
}

// What was committed is there again, what was not is gone, and so are the
// connections; port and settings are the same.
func TestSettingsAndRestart(t *testing.T) {
	s := own(t, "innodb-lock-wait-timeout=7")
	if err := s.CreateDatabase(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	dsn := s.DSN("app")
	conn := connect(t, dsn)
	run(t, conn, "CREATE TABLE effects (what TEXT)", "INSERT INTO effects VALUES ('first')")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = connect(t, dsn)
	before := query(t, conn, "SELECT @@pid_file")
	run(t, conn, "INSERT INTO effects VALUES ('committed')", "BEGIN", "INSERT INTO effects VALUES ('not committed')")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "COMMIT"); err == nil {
		t.Error("a connection outlived the server")
	}
	if s.DSN("app") != dsn {
		t.Errorf("address %s after the restart, want %s", s.DSN("app"), dsn)
	}
	conn = connect(t, dsn)
	if got := query(t, conn, "SELECT group_concat(what) FROM effects"); got != "first,committed" {
		t.Errorf("the table holds %q", got)
	}
	if got := query(t, conn, "SELECT @@pid_file"); got != before {
		t.Errorf("process id in %s after the restart, want %s", got, before)
	}
	if got := query(t, conn, "SELECT @@innodb_lock_wait_timeout"); got != "7" {
		t.Errorf("innodb_lock_wait_timeout = %q after the restart", got)
	}
}
