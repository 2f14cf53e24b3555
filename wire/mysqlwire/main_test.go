package mysqlwire_test

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/mysqlwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// TestMain is the worker process when the test says so, and looks for goroutines left
// behind when it is the test.
func TestMain(m *testing.M) {
	os.Exit(wiretest.Main(m, work))
}

const schema = "CREATE TABLE t (id int PRIMARY KEY, note longtext) ENGINE=InnoDB"

// setup is a database, the proxy in front of it, and what its gate has recorded.
type setup struct {
	*wiretest.Tape
	dsn     string // of the server
	proxied string
	proxy   *mysqlwire.Proxy
	gate    *wire.Gate
	direct  *sql.Conn
	offer   *tls.Config
}

func start(t testing.TB) *setup {
	t.Helper()
	s := &setup{dsn: with(t, testdb.MySQL(t, schema), "multiStatements=true"), Tape: wiretest.NewTape()}
	s.direct = connect(t, s.dsn)
	s.listen(t)
	return s
}

// listen begins again with a new gate, as for the next worker.
func (s *setup) listen(t testing.TB) {
	t.Helper()
	s.gate = wire.NewGate(s.Record)
	config, err := mysql.ParseDSN(s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("mysql", s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	if s.offer != nil {
		s.gate.Offer("database", s.offer)
	}
	if s.proxy, err = mysqlwire.Listen(s.gate, "database", config.Addr, db); err != nil {
		t.Fatal(err)
	}
	config.Addr = s.proxy.Addr()
	s.proxied = config.FormatDSN()
	proxy, gate := s.proxy, s.gate
	t.Cleanup(func() { proxy.Close(); gate.Close(); db.Close() })
}

// with adds a parameter to a DSN.
func with(t testing.TB, dsn, parameter string) string {
	t.Helper()
	sign := "?"
	if strings.Contains(dsn, "?") {
		sign = "&"
	}
	config, err := mysql.ParseDSN(dsn + sign + parameter)
	if err != nil {
		t.Fatal(err)
	}
	return config.FormatDSN()
}

// open is one single connection, or why there is none.
func open(t testing.TB, dsn string) (*sql.Conn, error) {
	t.Helper()
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db.Conn(t.Context())
}

func connect(t testing.TB, dsn string) *sql.Conn {
	t.Helper()
	conn, err := open(t, dsn)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// count is what is committed.
func (s *setup) count(t testing.TB) (n int) {
	t.Helper()
	if err := s.direct.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *setup) quiet(t testing.TB) { wiretest.Quiet(t, s.gate) }

// executor is a connection or a transaction.
type executor interface {
	ExecContext(ctx context.Context, sql string, args ...any) (sql.Result, error)
}

func execOn(t testing.TB, conn executor, sql string, args ...any) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), sql, args...); err != nil {
		t.Fatalf("%.100s: %v", sql, err)
	}
}

func text(s string) func(wire.Step) bool {
	return func(step wire.Step) bool { return step.Text == s }
}

// number is that of the server's error, 0 of any other.
func number(err error) int {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return 0
	}
	return int(e.Number)
}
