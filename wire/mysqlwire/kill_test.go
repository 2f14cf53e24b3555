package mysqlwire_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/mysqlwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

const (
	inTransaction = "insert into t values (?, ?)"
	alone         = "insert into t (note, id) values (?, ?)"
)

// work is a worker with a transaction and an INSERT that commits by itself. It says what
// it has heard, and stops at the first error.
func work(dsn string) {
	ctx := context.Background()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		panic(err)
	}
	conn, err := db.Conn(ctx)
	for _, sql := range []string{
		"begin", "insert into t values (1, 'a')", "commit",
		"insert into t (note, id) values ('b', 2)",
	} {
		if err == nil {
			_, err = conn.ExecContext(ctx, sql)
		}
		if err == nil {
			fmt.Println(sql)
		}
	}
	fmt.Println("done", err)
	os.Exit(0)
}

// heard counts the replies that the worker has acted on.
func heard(w *wiretest.Worker) int { return strings.Count(w.Said.String(), "\n") }

// Where the worker is killed decides what is committed, and what it has heard.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		text  string
		side  wire.Side
		rows  int
		heard int
		why   string
	}{
		{"BEGIN", wire.Before, 0, 0, ""},
		{inTransaction, wire.Before, 0, 1, ""},
		{inTransaction, wire.After, 0, 1, "INSERT 1 T"},
		{"COMMIT", wire.Before, 0, 2, ""},
		{"COMMIT", wire.After, 1, 2, "COMMIT I"},
		{alone, wire.Before, 1, 3, ""},
		{alone, wire.After, 2, 3, "INSERT 1 I"},
	} {
		t.Run(c.side.String()+" "+c.text, func(t *testing.T) {
			s := start(t)
			w := wiretest.KilledAt(t, s.gate, text("BEGIN"), wire.Fault{Match: text(c.text), Side: c.side}, s.proxied)
			s.quiet(t)
			if got := s.count(t); got != c.rows {
				t.Errorf("%d rows, want %d", got, c.rows)
			}
			if got := heard(w); got != c.heard {
				t.Errorf("heard %d replies, want %d: %s", got, c.heard, w.Said)
			}
			steps := s.Steps()
			if want := fmt.Sprintf("%s [killed: %s]", c.text, c.why); steps[len(steps)-1] != want {
				t.Errorf("steps %q, want %q last", steps, want)
			}
			if durable := mysqlwire.Durable(c.why); durable != (c.side == wire.After && c.text != inTransaction) {
				t.Errorf("%q durable: %v", c.why, durable)
			}
		})
	}
}

// The control: nobody kills it.
func TestWorkerAlone(t *testing.T) {
	s := start(t)
	w := wiretest.StartWorker(t, s.proxied)
	w.Wait()
	if got := s.count(t); got != 2 || heard(w) != 5 {
		t.Errorf("%d rows, said %s", got, w.Said)
	}
	s.Want(t, "BEGIN [BEGIN T]", inTransaction+" [INSERT 1 T]", "COMMIT [COMMIT I]", alone+" [INSERT 1 I]")
}

// Dropped is the connection, before the server heard or after it committed: the worker
// sees the same error, and the next connection is served.
func TestDrop(t *testing.T) {
	for side, want := range map[wire.Side]int{wire.Before: 0, wire.After: 1} {
		s := start(t)
		conn := connect(t, s.proxied)
		tx, err := conn.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		execOn(t, tx, "insert into t values (1, 'a')")
		a := s.gate.Arm(wire.Fault{Match: text("COMMIT"), Side: side, Do: wire.Drop})
		if err := tx.Commit(); err == nil || number(err) != 0 {
			t.Errorf("%s: commit says %v", side, err)
		}
		<-a.Fired()
		s.quiet(t)
		if got := s.count(t); got != want {
			t.Errorf("%s: %d rows, want %d", side, got, want)
		}
		next := connect(t, s.proxied)
		execOn(t, next, "insert into t values (2, 'b')")
		if got := s.count(t); got != want+1 || len(s.proxy.Backends()) != 2 {
			t.Errorf("%s: %d rows over %d connections", side, got, len(s.proxy.Backends()))
		}
	}
}

// A server that cannot be reached: what is connected is cut, and so is what connects,
// until it can be reached again.
func TestRefuse(t *testing.T) {
	s := start(t)
	before := connect(t, s.proxied)
	s.proxy.Refuse()
	if _, err := before.ExecContext(t.Context(), "INSERT INTO t VALUES (1, '')"); err == nil {
		t.Error("a connection was not cut")
	}
	if _, err := open(t, s.proxied); err == nil {
		t.Error("a connection was made")
	}
	if n := s.count(t); n != 0 {
		t.Errorf("%d rows came through", n)
	}
	s.proxy.Admit()
	execOn(t, connect(t, s.proxied), "INSERT INTO t VALUES (2, '')")
	if n := s.count(t); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}
