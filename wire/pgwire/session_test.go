package pgwire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/twiceproof/twiceproof/wire"
)

// A notification comes while nothing is asked.
func TestListen(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	execOn(t, conn, "LISTEN news")
	for i := range 3 {
		execOn(t, s.direct, fmt.Sprintf("NOTIFY news, '%d'", i))
		n, err := conn.WaitForNotification(t.Context())
		if err != nil || n.Payload != fmt.Sprint(i) {
			t.Fatalf("%v %v", n, err)
		}
	}
	execOn(t, conn, "NOTIFY news, 'own'")
	if n, err := conn.WaitForNotification(t.Context()); err != nil || n.Payload != "own" {
		t.Errorf("%v %v", n, err)
	}
	execOn(t, conn, "SET application_name = 'changed'")
	if got := conn.PgConn().ParameterStatus("application_name"); got != "changed" {
		t.Errorf("ParameterStatus %q", got)
	}
	s.Want(t, "LISTEN news [LISTEN I]", "NOTIFY news, ? [NOTIFY I]", "SET application_name = ? [SET I]")
}

// A cancel reaches the server while the statement waits, and is no step.
func TestCancel(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, "SELECT pg_advisory_lock(9)")
	conn := connect(t, s.proxied)
	const waits = "SELECT pg_advisory_lock(?)"
	heard := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock(9)")
		heard <- err
	}()
	s.waitsFor(t, "advisory") // a cancel that comes before its statement is lost
	if err := conn.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-heard; sqlState(err) != "57014" {
		t.Errorf("heard %v", err)
	}
	execOn(t, conn, "INSERT INTO t VALUES (1)")
	s.Want(t, waits+" [ERROR 57014 I]", "INSERT INTO t VALUES (?) [INSERT 0 1 I]")
	if n := len(s.proxy.Backends()); n != 1 {
		t.Errorf("%d backends", n)
	}
}

// What does not fit in memory passes through a file, whole.
func TestLargeReplyAndRequest(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	var rows, size int
	for _, q := range []string{"SELECT repeat('x', 1000) FROM generate_series(1, 40000)", "SELECT repeat('y', 40000000)"} {
		got, err := conn.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for got.Next() {
			rows++
			size += len(got.RawValues()[0])
		}
		if got.Err() != nil {
			t.Fatal(got.Err())
		}
	}
	if rows != 40001 || size != 80_000_000 {
		t.Errorf("%d rows, %d bytes", rows, size)
	}
	execOn(t, conn, "INSERT INTO t VALUES ($1, $2)", 1, strings.Repeat("z", 40_000_000))
	var length int
	if err := s.direct.QueryRow(t.Context(), "SELECT length(note) FROM t").Scan(&length); err != nil || length != 40_000_000 {
		t.Errorf("%d bytes arrived, %v", length, err)
	}
	n, err := conn.CopyFrom(t.Context(), pgx.Identifier{"t"}, []string{"id", "note"}, pgx.CopyFromSlice(400, func(i int) ([]any, error) {
		return []any{i + 2, strings.Repeat("w", 100_000)}, nil
	}))
	if err != nil || n != 400 || s.count(t) != 401 {
		t.Errorf("copied %d, %v", n, err)
	}
}

// The server ends a connection: its last word is passed on, within a step and
// between two.
func TestTerminatedByTheServer(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	s.terminate(t)
	f.expect("ErrorResponse")
	if _, err := f.Receive(); err == nil {
		t.Error("the connection goes on")
	}

	g := raw(t, s.proxied)
	g.send(&pgproto3.Query{String: "SELECT pg_sleep(1000)"})
	s.waitsFor(t, "PgSleep")
	s.terminate(t)
	g.expect("RowDescription ErrorResponse")
	if _, err := g.Receive(); err == nil {
		t.Error("the connection goes on")
	}
	s.Want(t, "SELECT pg_sleep(?) [FATAL 57P01]")
}

// terminate ends the proxy's last backend.
func (s *setup) terminate(t *testing.T) {
	all := pids(s)
	execOn(t, s.direct, "SELECT pg_terminate_backend($1)", all[len(all)-1])
}

// waitsFor asks until the proxy's last backend waits for that.
func (s *setup) waitsFor(t *testing.T, event string) {
	t.Helper()
	all := pids(s)
	for waits := false; !waits; {
		err := s.direct.QueryRow(t.Context(), "SELECT coalesce(wait_event, '') = $2 FROM pg_stat_activity WHERE pid = $1",
			all[len(all)-1], event).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A worker that goes while its statement waits: the step is lost, and the
// statement is served to its end, as without a proxy.
func TestClientGoes(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, "SELECT pg_advisory_lock(9)")
	f := raw(t, s.proxied)
	const sql = "INSERT INTO t SELECT ? FROM (SELECT pg_advisory_xact_lock(?)) l"
	f.send(&pgproto3.Query{String: "INSERT INTO t SELECT 1 FROM (SELECT pg_advisory_xact_lock(9)) l"})
	s.Wait(t, sql, wire.Forwarded)
	f.conn.Close()
	s.Wait(t, sql, wire.Lost)
	if n := s.count(t); n != 0 {
		t.Errorf("%d rows before the lock is free", n)
	}
	execOn(t, s.direct, "SELECT pg_advisory_unlock(9)")
	s.quiet(t)
	if n := s.count(t); n != 1 || alive(t, s) {
		t.Errorf("%d rows", n)
	}
	s.Want(t, sql+" [lost: client has gone]")
}

// Replication: from CopyBothResponse on messages pass as they come, and after it
// the connection is as before.
func TestReplication(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied+"&replication=true")
	var lsn string
	if err := s.direct.QueryRow(t.Context(), "SELECT pg_current_wal_flush_lsn()::text").Scan(&lsn); err != nil {
		t.Fatal(err)
	}
	f.send(&pgproto3.Query{String: "START_REPLICATION " + lsn})
	f.expect("CopyBothResponse")
	execOn(t, s.direct, "INSERT INTO t VALUES (1)")
	f.expect("CopyData")
	f.send(&pgproto3.CopyDone{})
	for done := false; !done; {
		m, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		done = messageName(m) == "ReadyForQuery"
	}
	f.send(&pgproto3.Query{String: "IDENTIFY_SYSTEM"})
	f.expect("RowDescription DataRow CommandComplete ReadyForQuery")
	steps := s.Steps()
	if len(steps) != 2 || steps[1] != "IDENTIFY_SYSTEM [IDENTIFY_SYSTEM I]" {
		t.Errorf("steps %q", steps)
	}
}
