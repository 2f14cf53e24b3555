package mysqlwire_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/mysqlwire"
)

// TestMain is the worker process when the test says so, and looks for goroutines left
// behind when it is the test.
func TestMain(m *testing.M) {
	if dsn := os.Getenv("MYSQLWIRE_TEST_WORKER"); dsn != "" {
		work(dsn)
	}
	code := m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Println("goroutines left:\n" + left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft gives them time to end. Those of the throw-away server stay as long as
// the process.
func goroutinesLeft() (left string) {
	for range 200 {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = ""
		for _, one := range strings.Split(string(stacks), "\n\n")[1:] { // the first is this one
			if strings.Contains(one, "twiceproof/wire") {
				left += one + "\n\n"
			}
		}
		if left == "" {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}

const schema = "CREATE TABLE t (id int PRIMARY KEY, note longtext) ENGINE=InnoDB"

// setup is a database, the proxy in front of it, and what its gate has recorded.
type setup struct {
	dsn     string // of the server
	proxied string
	proxy   *mysqlwire.Proxy
	gate    *wire.Gate
	direct  *sql.Conn

	mu      sync.Mutex
	events  []wire.Event
	changed chan struct{}
}

func start(t testing.TB) *setup {
	t.Helper()
	s := &setup{dsn: with(t, testdb.MySQL(t, schema), "multiStatements=true"), changed: make(chan struct{})}
	s.direct = connect(t, s.dsn)
	s.listen(t)
	return s
}

// listen begins again with a new gate, as for the next worker.
func (s *setup) listen(t testing.TB) {
	t.Helper()
	s.gate = wire.NewGate(s.record)
	config, err := mysql.ParseDSN(s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("mysql", s.dsn)
	if err != nil {
		t.Fatal(err)
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

func (s *setup) record(e wire.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait waits for the phase of the step with this text.
func (s *setup) wait(t testing.TB, text string, p wire.Phase) {
	t.Helper()
	for {
		s.mu.Lock()
		changed := s.changed
		seen := slices.ContainsFunc(s.events, func(e wire.Event) bool { return e.Step.Text == text && e.Phase == p })
		s.mu.Unlock()
		if seen {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("no %s of %s", p, text)
		}
	}
}

// trace is the steps since the last call, each with its end: "text [end: status]".
func (s *setup) trace() (steps []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		switch e.Phase {
		case wire.Passed:
			steps = append(steps, fmt.Sprintf("%s [%s]", e.Step.Text, e.Status))
		case wire.Killed, wire.Dropped, wire.Refused, wire.Lost:
			steps = append(steps, fmt.Sprintf("%s [%s: %s]", e.Step.Text, e.Phase, e.Status))
		}
	}
	s.events = nil
	return steps
}

func (s *setup) wantTrace(t testing.TB, want ...string) {
	t.Helper()
	if got := s.trace(); !slices.Equal(got, want) {
		t.Errorf("steps\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// count is what is committed.
func (s *setup) count(t testing.TB) (n int) {
	t.Helper()
	if err := s.direct.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *setup) quiet(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.gate.Quiet(ctx); err != nil {
		t.Fatal(err)
	}
}

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
