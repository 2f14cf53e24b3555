package pgwire_test

import (
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/pgwire"
)

// A password is asked for by SCRAM: its messages pass, right and wrong.
func TestSCRAM(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, "CREATE ROLE guarded LOGIN PASSWORD 'secret'")
	defer execOn(t, s.direct, "DROP OWNED BY guarded; DROP ROLE guarded")
	execOn(t, s.direct, "GRANT INSERT ON t TO guarded")
	demandPassword(t, s)
	u, _ := url.Parse(s.proxied)
	u.User = url.UserPassword("guarded", "secret")
	conn := connect(t, u.String())
	execOn(t, conn, "INSERT INTO t VALUES (1)")
	s.Want(t, "INSERT INTO t VALUES (?) [INSERT 0 1 I]")

	u.User = url.UserPassword("guarded", "wrong")
	if _, err := pgx.Connect(t.Context(), u.String()); sqlState(err) != "28P01" {
		t.Errorf("a wrong password: %v", err)
	}
	s.Want(t)
}

// demandPassword puts a line at the front of the throw-away server's pg_hba.conf.
func demandPassword(t *testing.T, s *setup) {
	t.Helper()
	var file, rules string
	err := s.direct.QueryRow(t.Context(), "SELECT f, pg_read_file(f) FROM current_setting('hba_file') f").Scan(&file, &rules)
	if err != nil {
		t.Fatal(err)
	}
	rules = "host all guarded all scram-sha-256\n" + rules
	execOn(t, s.direct, fmt.Sprintf("COPY (SELECT unnest(string_to_array($q$%s$q$, E'\\n'))) TO '%s'", rules, file))
	execOn(t, s.direct, "SELECT pg_reload_conf()")
}

// psql runs one statement, as libpq clients connect.
func psql(dsn, sslmode string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", err
	}
	u.RawQuery = "sslmode=" + sslmode
	cmd := exec.Command("psql", "-X", "-A", "-t", "-c", "INSERT INTO t VALUES (7) RETURNING id", u.String())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestPsql(t *testing.T) {
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("psql is not installed")
	}
	s := start(t)
	if out, err := psql(s.proxied, "prefer"); err != nil || !strings.HasPrefix(out, "7\n") {
		t.Errorf("%v: %s", err, out)
	}
	s.Want(t, "INSERT INTO t VALUES (?) RETURNING id [INSERT 0 1 I]")
	if out, err := psql(s.proxied, "require"); err == nil || !strings.Contains(out, "server does not support SSL, but SSL was required") {
		t.Errorf("%v: %s", err, out)
	}
	s.Want(t)
}

// Byte for byte: what the worker says after its requests for encryption is what
// the server hears, and the other way round.
func TestBytesPassUnchanged(t *testing.T) {
	sent := [][]byte{
		{0, 0, 0, 9, 0, 3, 0, 2, 0}, // protocol 3.2
		message('p', "\x00\xffnot a password\x00"),
		message('P', "\x00select \xff 1\x00\x00\x00"), message('B', "\x00\x00\x00\x00\x00\x00\x00\x00"),
		message('E', "\x00\x00\x00\x00\x00"), message('S', ""),
		message('Q', "\x00"), message('X', ""),
	}
	replies := [][]byte{
		message('R', "\x00\x00\x00\x0a"), message('v', "\x00\x03\x00\x00\x00\x00\x00\x00"),
		append(message('K', "\x00\x00\x00\x07a long secret"), message('Z', "I")...),
		append(message('1', ""), append(message('D', "\x00\x00\xff"), message('Z', "I")...)...),
		append(message('A', "\x00\x00\x00\x01a\x00b\x00"), append(message('I', ""), message('Z', "I")...)...),
	}
	heard := make(chan string, 1)
	addr := scripted(t, sent, replies, heard)
	g := wire.NewGate(nil)
	p, err := pgwire.Listen(g, "database", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); g.Close() })
	conn := dial(t, p.Addr())
	for _, code := range []byte{0x30, 0x2f} { // GSSENCRequest, SSLRequest
		conn.Write([]byte{0, 0, 0, 8, 4, 0xd2, 0x16, code})
		if got := read(t, conn, 1); got != "N" {
			t.Fatalf("answer %q", got)
		}
	}
	for _, b := range sent {
		conn.Write(b)
	}
	want := joinBytes(replies)
	if got := read(t, conn, len(want)); got != want {
		t.Errorf("worker heard\n%q\nwant\n%q", got, want)
	}
	if got, want := <-heard, joinBytes(sent); got != want {
		t.Errorf("server heard\n%q\nwant\n%q", got, want)
	}
	if b := p.Backends(); len(b) != 1 || b[0] != 7 {
		t.Errorf("backends %v", b)
	}
}

// scripted is a server that answers the start, the password, the first Sync and
// the Query, and then waits for the end.
func scripted(t *testing.T, sent, replies [][]byte, heard chan<- string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var all string
		step := func(n int, answers ...[]byte) {
			all += read(t, conn, n)
			for _, b := range answers {
				conn.Write(b)
			}
		}
		step(len(sent[0]), replies[0], replies[1])
		step(len(sent[1]), replies[2])
		step(len(joinBytes(sent[2:6])), replies[3])
		step(len(sent[6]), replies[4])
		step(len(sent[7]))
		heard <- all
	}()
	return ln.Addr().String()
}

func message(kind byte, body string) []byte {
	n := len(body) + 4
	return append([]byte{kind, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, body...)
}

func joinBytes(all [][]byte) (s string) {
	for _, b := range all {
		s += string(b)
	}
	return s
}

func read(t *testing.T, conn net.Conn, n int) string {
	buf := make([]byte, n)
	for got := 0; got < n; {
		m, err := conn.Read(buf[got:])
		if err != nil {
			t.Errorf("read %q: %v", buf[:got], err)
			return string(buf[:got])
		}
		got += m
	}
	return string(buf)
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// What is not PostgreSQL is turned away, and a server that is not there gives no
// reply.
func TestTurnedAway(t *testing.T) {
	s := start(t)
	for _, first := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x04\x00\x03\x00\x00"} {
		conn := dial(t, s.proxy.Addr())
		conn.Write([]byte(first))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%q was answered", first)
		}
	}
	if _, err := pgwire.Listen(s.gate, "database", "localhost"); err == nil {
		t.Error("an upstream without a port was taken")
	}
	s.Want(t)
}

// A shut gate takes no connection, and Close waits for nobody.
func TestShutGate(t *testing.T) {
	s := start(t)
	f := raw(t, s.proxied)
	dial(t, s.proxy.Addr()) // says nothing
	s.gate.Shut()
	f.Send(&pgproto3.Query{String: "SELECT 1"})
	f.Flush()
	if _, err := f.Receive(); err == nil {
		t.Error("a shut gate answered")
	}
	if _, err := pgx.Connect(t.Context(), s.proxied); err == nil {
		t.Error("connected")
	}
	s.quiet(t)
	s.proxy.Close()
	s.proxy.Close()
}

// What a connection begins with is known, whichever way its client says it.
func TestSets(t *testing.T) {
	s := start(t)
	for _, query := range []string{"connect_timeout=10", "application_name=worker", "options=-c%20statement_timeout%3D5s"} {
		connect(t, s.proxied+"&"+query)
	}
	if s.proxy.Sets("search_path") || !s.proxy.Sets("application_name") || !s.proxy.Sets("statement_timeout") {
		t.Error("what was set is not what is told")
	}
	for _, query := range []string{"search_path=app", "options=-c%20search_path%3Dapp", "options=--search-path%3Dapp"} {
		s.listen(t)
		connect(t, s.proxied+"&"+query)
		if !s.proxy.Sets("search_path") {
			t.Errorf("%s: not seen", query)
		}
	}
}
