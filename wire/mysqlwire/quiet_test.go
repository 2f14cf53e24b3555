package mysqlwire_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

const waits = "INSERT INTO t VALUES (?, ?)"

// blocked is an INSERT through the proxy that waits for a row which the holder has made
// and not committed.
func blocked(ctx context.Context, t *testing.T, s *setup) (holder *sql.Conn, heard <-chan error) {
	t.Helper()
	holder = connect(t, s.dsn)
	execOn(t, holder, "BEGIN")
	execOn(t, holder, "INSERT INTO t VALUES (1, 'of the holder')")
	conn := connect(t, s.proxied)
	said := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(ctx, "INSERT INTO t VALUES (1, 'of the worker')")
		said <- err
	}()
	s.Wait(t, waits, wire.Forwarded)
	for waiting := false; !waiting; {
		err := s.direct.QueryRowContext(t.Context(),
			"SELECT variable_value > 0 FROM information_schema.global_status WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	return holder, said
}

// A statement that was forwarded before the kill still commits. Counted before Quiet it
// is not there (this is the control, and sure to show it: the statement waits for a lock
// that the test holds); counted after Quiet it is.
func TestCountBeforeQuietIsTooEarly(t *testing.T) {
	s := start(t)
	holder, heard := blocked(t.Context(), t, s)
	s.gate.Shut()
	if err := <-heard; err == nil || number(err) != 0 {
		t.Errorf("the statement says %v", err)
	}
	if n := s.count(t); n != 0 || !alive(t, s) {
		t.Errorf("%d rows while it waits for the lock", n)
	}
	execOn(t, holder, "ROLLBACK")
	s.quiet(t)
	if n := s.count(t); n != 1 || alive(t, s) {
		t.Errorf("%d rows", n)
	}
}

// A worker that goes while its statement waits: the step is lost, and the statement is
// served to its end, as without a proxy.
func TestClientGoes(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	holder, heard := blocked(ctx, t, s)
	cancel()
	<-heard
	s.Wait(t, waits, wire.Lost)
	execOn(t, holder, "ROLLBACK")
	s.quiet(t)
	if n := s.count(t); n != 1 {
		t.Errorf("%d rows", n)
	}
	s.Want(t, waits+" [lost: client has gone]")
}

// alive says whether a connection of the proxy is still in the server's list.
func alive(t *testing.T, s *setup) (alive bool) {
	t.Helper()
	for _, id := range s.proxy.Backends() {
		var n int
		if err := s.direct.QueryRowContext(t.Context(), "SELECT count(*) FROM information_schema.processlist WHERE id = ?", id).Scan(&n); err != nil {
			t.Fatal(err)
		}
		alive = alive || n > 0
	}
	return alive
}

// What a killed worker holds is let go by the time of Quiet: its locks, and its
// transaction, which is rolled back. The end of the socket alone would be too early in
// some of these runs.
func TestQuietMeansRolledBack(t *testing.T) {
	s := start(t)
	for run := range 60 {
		conn := connect(t, s.proxied)
		execOn(t, conn, "BEGIN")
		execOn(t, conn, "INSERT INTO t VALUES (1, 'a')")
		execOn(t, conn, "DO get_lock('mine', 0)")
		s.gate.Shut()
		s.quiet(t)
		var free bool
		if err := s.direct.QueryRowContext(t.Context(), "SELECT is_free_lock('mine')").Scan(&free); err != nil {
			t.Fatal(err)
		}
		if !free || s.count(t) != 0 {
			t.Fatalf("run %d: lock free %v", run, free)
		}
		execOn(t, s.direct, "SET innodb_lock_wait_timeout = 0")
		execOn(t, s.direct, "INSERT INTO t VALUES (1, 'b')")
		execOn(t, s.direct, "DELETE FROM t")
		s.listen(t)
	}
}

// Many connections of one worker, killed at its 50th INSERT: after Quiet the table has
// every row whose reply was passed, none that was not forwarded, and does not change any
// more.
func TestThreads(t *testing.T) {
	for _, side := range []wire.Side{wire.Before, wire.After} {
		s := start(t)
		const name = "INSERT INTO t VALUES (?, ?)"
		a := s.gate.Arm(wire.Fault{Match: text(name), Nth: 50, Side: side, Do: wire.Kill})
		var conns []*sql.Conn
		for range 8 {
			conns = append(conns, connect(t, s.proxied))
		}
		var threads sync.WaitGroup
		for thread, conn := range conns {
			threads.Go(func() {
				for id := thread; ; id += 8 {
					if _, err := conn.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO t VALUES (%d, '')", id)); err != nil {
						return
					}
				}
			})
		}
		<-a.Fired()
		s.quiet(t)
		rows := s.count(t)
		threads.Wait()
		passed, forwarded := s.Count(wire.Passed), s.Count(wire.Forwarded)
		if rows < passed || rows > forwarded || rows != s.count(t) {
			t.Errorf("%s: %d passed, %d rows, then %d, %d forwarded", side, passed, rows, s.count(t), forwarded)
		}
		if fired := a.Step(); fired.Nth != 50 {
			t.Errorf("killed at %s", fired)
		}
	}
}

// The server ends a connection between two steps, and within one.
func TestEndedByTheServer(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	execOn(t, s.direct, fmt.Sprintf("KILL %d", s.proxy.Backends()[0]))
	if _, err := conn.ExecContext(t.Context(), "DO 1"); err == nil {
		t.Error("the connection goes on")
	}
	conn = connect(t, s.proxied)
	heard := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(t.Context(), "DO sleep(1000)")
		heard <- err
	}()
	s.Wait(t, "DO sleep(?)", wire.Forwarded)
	execOn(t, s.direct, fmt.Sprintf("KILL %d", s.proxy.Backends()[1]))
	if err := <-heard; err == nil {
		t.Error("the statement goes on")
	}
	s.quiet(t)
}
