package pgwire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/twiceproof/twiceproof/wire"
)

const copyT = "COPY t FROM STDIN"

func TestCopyIn(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	n, err := conn.CopyFrom(t.Context(), pgx.Identifier{"t"}, []string{"id", "note"},
		pgx.CopyFromRows([][]any{{1, "a"}, {2, "b"}}))
	if err != nil || n != 2 || s.count(t) != 2 {
		t.Errorf("copied %d, %v", n, err)
	}
	const copyB = `copy "t" ( "id", "note" ) from stdin binary;`
	s.Want(t, `Parse select "id", "note" from "t" [I]`,
		strings.TrimSuffix(copyB, ";")+" [CopyInResponse]", "CopyDone "+strings.TrimSuffix(copyB, ";")+" [COPY 2 I]")
	if _, err := copyText(t, conn, "3\tc\n1\tagain\n"); sqlState(err) != "23505" {
		t.Errorf("error %v", err)
	}
	if _, err := copyText(t, conn, "no number\tc\n"); sqlState(err) != "22P02" {
		t.Errorf("error %v", err)
	}
	if n, err := copyText(t, conn, "3\tc\n"); err != nil || n != 1 || s.count(t) != 3 {
		t.Errorf("copied %d, %v", n, err)
	}
	s.Want(t, copyT+" [CopyInResponse]", "CopyDone "+copyT+" [ERROR 23505 I]",
		copyT+" [CopyInResponse]", "CopyDone "+copyT+" [ERROR 22P02 I]",
		copyT+" [CopyInResponse]", "CopyDone "+copyT+" [COPY 1 I]")
}

func copyText(t *testing.T, conn *pgx.Conn, rows string) (int64, error) {
	tag, err := conn.PgConn().CopyFrom(t.Context(), strings.NewReader(rows), copyT)
	return tag.RowsAffected(), err
}

// A source that fails: the worker says CopyFail, and nothing is copied.
func TestCopyFail(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	rows := io.MultiReader(strings.NewReader("1\ta\n"), failing{})
	if _, err := conn.PgConn().CopyFrom(t.Context(), rows, copyT); err == nil {
		t.Error("no error")
	}
	s.Want(t, copyT+" [CopyInResponse]", "CopyFail "+copyT+" [ERROR 57014 I]")
	if n := s.count(t); n != 0 {
		t.Errorf("%d rows", n)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("source has failed") }

// A COPY commits at CopyDone: dropped before, nothing; after, everything.
func TestCopyDropped(t *testing.T) {
	for side, want := range map[wire.Side]int{wire.Before: 0, wire.After: 1} {
		s := start(t)
		conn := connect(t, s.proxied)
		a := s.gate.Arm(wire.Fault{Match: text("CopyDone " + copyT), Side: side, Do: wire.Drop})
		if _, err := copyText(t, conn, "1\ta\n"); err == nil {
			t.Errorf("%s: no error", side)
		}
		<-a.Fired()
		s.quiet(t)
		if n := s.count(t); n != want {
			t.Errorf("%s: %d rows, want %d", side, n, want)
		}
	}
}

func TestCopyOut(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	execOn(t, conn, "INSERT INTO t SELECT i, 'x' FROM generate_series(1, 1000) i")
	s.Steps()
	var out bytes.Buffer
	if _, err := conn.PgConn().CopyTo(t.Context(), &out, "COPY t TO STDOUT"); err != nil || strings.Count(out.String(), "\n") != 1000 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	s.Want(t, "COPY t TO STDOUT [COPY 1000 I]")
}

// COPY in the extended protocol: the first Sync counts for nothing, the one after
// CopyDone ends the step.
func TestCopyInExtended(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	f.send(&pgproto3.Parse{Query: copyT}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
	f.expect("ParseComplete BindComplete CopyInResponse")
	f.send(&pgproto3.CopyData{Data: []byte("1\ta\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})
	f.expect("CommandComplete ReadyForQuery")
	s.Want(t, copyT+" [CopyInResponse]", "CopyDone "+copyT+" [COPY 1 I]")

	f.send(&pgproto3.Parse{Query: copyT}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{})
	f.expect("ParseComplete BindComplete CopyInResponse")
	f.send(&pgproto3.CopyData{Data: []byte("2\tb\n")}, &pgproto3.Flush{}, &pgproto3.CopyDone{}, &pgproto3.Flush{})
	f.expect("CommandComplete")
	f.send(&pgproto3.Sync{})
	f.expect("ReadyForQuery")
	s.Want(t, "Flush "+copyT+" [CopyInResponse]", "Flush CopyDone "+copyT+" [COPY 1]", "CopyDone "+copyT+" [COPY 1 I]")
	if n := s.count(t); n != 2 {
		t.Errorf("%d rows", n)
	}
}

// Two COPYs in one Query: both commit with the second.
func TestTwoCopies(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	f.send(&pgproto3.Query{String: copyT + ";" + copyT})
	f.expect("CopyInResponse")
	f.send(&pgproto3.CopyData{Data: []byte("1\ta\n")}, &pgproto3.CopyDone{})
	f.expect("CommandComplete CopyInResponse")
	f.send(&pgproto3.CopyData{Data: []byte("2\tb\n")}, &pgproto3.CopyDone{})
	f.expect("CommandComplete ReadyForQuery")
	const both = copyT + " (2 times)"
	s.Want(t, both+" [CopyInResponse]", "CopyDone "+both+" [COPY 1; CopyInResponse]", "CopyDone "+both+" [COPY 1 (2 times) I]")
}

// refusing fails every INSERT into t before its first row, once lock 7 is free: a
// COPY ends by itself, after CopyInResponse and without any data.
const refusing = `
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock_shared(7);
	RAISE EXCEPTION 'refused';
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION refuse()`

var oneRow = &pgproto3.CopyData{Data: []byte("1\ta\n")}

// Whatever the worker says to a COPY that the server has ended, the connection
// goes on.
func TestCopyEndedByTheServer(t *testing.T) {
	for name, then := range map[string][]pgproto3.FrontendMessage{
		"it knows":         nil,
		"it sends on":      {oneRow, &pgproto3.CopyDone{}},
		"it gives up":      {&pgproto3.CopyFail{}},
		"it only had data": {oneRow},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			execOn(t, s.direct, refusing)
			f := raw(t, s.proxied)
			f.send(&pgproto3.Query{String: copyT})
			f.expect("CopyInResponse ErrorResponse ReadyForQuery")
			f.send(append(then, &pgproto3.Query{String: "SELECT 1"})...)
			f.expect("RowDescription DataRow CommandComplete ReadyForQuery")
			s.Want(t, copyT+" [CopyInResponse]", "SELECT ? [SELECT 1 I]")
		})
	}
}

// In the extended protocol the server skips what comes, up to a Sync: the one
// after the COPY, or one that was sent with the Execute.
func TestExtendedCopyEndedByTheServer(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, refusing)
	f := raw(t, s.proxied)
	for _, then := range [][]pgproto3.FrontendMessage{{}, {oneRow, &pgproto3.CopyDone{}}} {
		f.send(&pgproto3.Parse{Query: copyT}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{})
		f.expect("ParseComplete BindComplete CopyInResponse ErrorResponse")
		f.send(append(then, &pgproto3.Sync{})...)
		f.expect("ReadyForQuery")
		f.send(&pgproto3.Parse{Query: copyT}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
		f.expect("ParseComplete BindComplete CopyInResponse ErrorResponse ReadyForQuery")
		f.send(append(then, &pgproto3.Sync{})...)
		f.expect("ReadyForQuery")
	}
	f.send(&pgproto3.Query{String: "SELECT 1"})
	f.expect("RowDescription DataRow CommandComplete ReadyForQuery")
	s.Want(t,
		"Flush "+copyT+" [CopyInResponse]", "Sync [ERROR P0001 I]", copyT+" [CopyInResponse]", "Sync [I]",
		"Flush "+copyT+" [CopyInResponse]", "CopyDone "+copyT+" [ERROR P0001 I]", copyT+" [CopyInResponse]", "CopyDone "+copyT+" [I]",
		"SELECT ? [SELECT 1 I]")
}

// A worker that sends on without reading is answered twice: for the Sync that the
// COPY did not come to read, and for its own. The steps after that keep their own
// replies.
func TestExtendedCopyAnsweredTwice(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, refusing)
	execOn(t, s.direct, "SELECT pg_advisory_lock(7)")
	f := raw(t, s.proxied)
	f.send(&pgproto3.Parse{Query: copyT}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
	f.expect("ParseComplete BindComplete CopyInResponse")
	f.send(oneRow, &pgproto3.CopyDone{}, &pgproto3.Sync{}, &pgproto3.Query{String: "SELECT 1"}, &pgproto3.Query{String: "SELECT 'a', 'b'"})
	s.Wait(t, "CopyDone "+copyT, wire.Forwarded)
	execOn(t, s.direct, "SELECT pg_advisory_unlock(7)")
	f.expect("ErrorResponse ReadyForQuery ReadyForQuery")
	for range 2 {
		f.expect("RowDescription DataRow CommandComplete ReadyForQuery")
	}
	s.Want(t, copyT+" [CopyInResponse]", "CopyDone "+copyT+" [ERROR P0001 I]", "SELECT ? [SELECT 1 I]", "SELECT ?, ? [SELECT 1 I]")
}

// The server ends the COPY while the worker's CopyDone is held at the gate.
func TestCopyEndedBehindAHeldStep(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, refusing)
	execOn(t, s.direct, "SELECT pg_advisory_lock(7)")
	f := raw(t, s.proxied)
	f.send(&pgproto3.Query{String: copyT})
	f.expect("CopyInResponse")
	hold := s.gate.Arm(wire.Fault{Match: text("CopyDone " + copyT), Do: wire.Hold})
	f.send(oneRow, &pgproto3.CopyDone{})
	<-hold.Fired()
	execOn(t, s.direct, "SELECT pg_advisory_unlock(7)")
	f.expect("ErrorResponse ReadyForQuery")
	hold.Release()
	f.send(&pgproto3.Query{String: "SELECT 1"})
	f.expect("RowDescription DataRow CommandComplete ReadyForQuery")
}
