package pgwire_test

import (
	"context"
	"crypto/tls"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/pgwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// TestMain is the worker process when the test says so, and looks for goroutines
// left behind when it is the test.
func TestMain(m *testing.M) {
	os.Exit(wiretest.Main(m, work))
}

const schema = "CREATE TABLE t (id int PRIMARY KEY, note text)"

// setup is a database, the proxy in front of it, and what its gate has recorded.
type setup struct {
	*wiretest.Tape
	dsn     string // of the server
	proxied string
	proxy   *pgwire.Proxy
	gate    *wire.Gate
	direct  *pgx.Conn
	offer   *tls.Config
}

func start(t testing.TB) *setup {
	t.Helper()
	s := &setup{dsn: testdb.Postgres(t, schema), Tape: wiretest.NewTape()}
	s.direct = connect(t, s.dsn)
	s.listen(t)
	return s
}

// listen begins again with a new gate, as for the next worker.
func (s *setup) listen(t testing.TB) {
	t.Helper()
	s.gate = wire.NewGate(s.Record)
	u, err := url.Parse(s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	if s.offer != nil {
		s.gate.Offer("database", s.offer)
	}
	if s.proxy, err = pgwire.Listen(s.gate, "database", u.Host); err != nil {
		t.Fatal(err)
	}
	u.Host = s.proxy.Addr()
	s.proxied = u.String()
	proxy, gate := s.proxy, s.gate
	t.Cleanup(func() { proxy.Close(); gate.Close() })
}

func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(conn) })
	return conn
}

func closeNow(conn *pgx.Conn) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	conn.Close(over)
}

// count is what is committed.
func (s *setup) count(t testing.TB) (n int) {
	t.Helper()
	if err := s.direct.QueryRow(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *setup) quiet(t testing.TB) { wiretest.Quiet(t, s.gate) }

func execOn(t testing.TB, conn executor, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func text(s string) func(wire.Step) bool {
	return func(step wire.Step) bool { return step.Text == s }
}

// executor is a connection or a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}
