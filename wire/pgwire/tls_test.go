package pgwire_test

import (
	"errors"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// secure begins again with a proxy that ends TLS, and gives the file of its authority.
func (s *setup) secure(t *testing.T) (ca string) {
	t.Helper()
	authority, ca := wiretest.Authority(t)
	s.offer = authority.Config("127.0.0.1", "postgresql")
	s.listen(t)
	return ca
}

// with is the proxy's address with other parameters.
func (s *setup) with(parameters ...string) string {
	u, _ := url.Parse(s.proxied)
	u.RawQuery = strings.Join(parameters, "&")
	return u.String()
}

// clients insert a row and say whether they did so within TLS.
var clients = map[string]func(t *testing.T, dsn string) *exec.Cmd{
	"psql": func(t *testing.T, dsn string) *exec.Cmd {
		wiretest.Needs(t, "psql", "--version")
		return exec.Command("psql", "-X", "-c", "INSERT INTO t VALUES (7)", "-c", `\conninfo`, dsn)
	},
	"psycopg": func(t *testing.T, dsn string) *exec.Cmd {
		return exec.Command(wiretest.Python(t, "psycopg"), "-c", `
import psycopg, sys
with psycopg.connect(sys.argv[1]) as c:
    c.execute("INSERT INTO t VALUES (7)")
    print("SSL connection" if c.pgconn.ssl_in_use else "clear text")`, dsn)
	},
	"psycopg2": func(t *testing.T, dsn string) *exec.Cmd {
		return exec.Command(wiretest.Python(t, "psycopg2"), "-c", `
import psycopg2, sys
with psycopg2.connect(sys.argv[1]) as c:
    c.cursor().execute("INSERT INTO t VALUES (7)")
    print("SSL connection" if c.info.ssl_in_use else "clear text")`, dsn)
	},
	"pg": func(t *testing.T, dsn string) *exec.Cmd {
		return exec.Command(wiretest.Ruby(t, "pg"), "-e", `
require "pg"
c = PG.connect(ARGV[0])
c.exec("INSERT INTO t VALUES (7)")
puts(c.ssl_in_use? ? "SSL connection" : "clear text")`, dsn)
	},
}

const within = "SSL connection"

// Each client in each mode: a row comes through within TLS, as the step that it is in clear
// text. One that trusts another authority writes none.
func TestTLS(t *testing.T) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			ca := s.secure(t)
			_, other := wiretest.Authority(t)
			for _, mode := range []string{"verify-full", "verify-ca", "require", "prefer"} {
				out, err := client(t, s.with("sslmode="+mode, "sslrootcert="+ca)).CombinedOutput()
				if err != nil || !strings.Contains(string(out), within) || s.count(t) != 1 {
					t.Errorf("%s: %v: %s", mode, err, out)
				}
				execOn(t, s.direct, "DELETE FROM t")
				if steps := s.Steps(); !strings.Contains(strings.Join(steps, "\n"), "INSERT INTO t VALUES (?)") {
					t.Errorf("%s: steps %q", mode, steps)
				}
				s.listen(t)
			}
			out, err := client(t, s.with("sslmode=verify-full", "sslrootcert="+other)).CombinedOutput()
			if err == nil || s.count(t) != 0 {
				t.Errorf("the wrong authority was trusted: %s", out)
			}
			if refused := (*wire.TLSError)(nil); !errors.As(wiretest.WhyUnsecured(s.proxy), &refused) {
				t.Errorf("the proxy says %v", s.proxy.WhyUnsecured())
			}
		})
	}
}

// A proxy that offers no TLS: who prefers it goes on in clear text, who insists gives up, and
// the proxy knows.
func TestTLSIsDeclined(t *testing.T) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			out, err := client(t, s.with("sslmode=prefer")).CombinedOutput()
			if err != nil || strings.Contains(string(out), within) || s.count(t) != 1 || s.proxy.WhyUnsecured() != nil {
				t.Errorf("%v: %s; the proxy says %v", err, out, s.proxy.WhyUnsecured())
			}
			out, err = client(t, s.with("sslmode=require")).CombinedOutput()
			if err == nil || s.count(t) != 1 || !errors.Is(s.proxy.WhyUnsecured(), wire.ErrDeclined) {
				t.Errorf("%v: %s; the proxy says %v", err, out, s.proxy.WhyUnsecured())
			}
		})
	}
}

// The driver of Go comes a second time when it prefers TLS, and speaks it at once when asked.
func TestTLSOfPgx(t *testing.T) {
	s := start(t)
	execOn(t, connect(t, s.with("sslmode=prefer")), "INSERT INTO t VALUES (1)")
	if s.proxy.WhyUnsecured() != nil {
		t.Errorf("the proxy says %v", s.proxy.WhyUnsecured())
	}
	if _, err := pgx.Connect(t.Context(), s.with("sslmode=require")); err == nil || !errors.Is(s.proxy.WhyUnsecured(), wire.ErrDeclined) {
		t.Errorf("%v; the proxy says %v", err, s.proxy.WhyUnsecured())
	}
	if _, err := pgx.Connect(t.Context(), s.with("sslmode=require", "sslnegotiation=direct")); err == nil || !strings.Contains(err.Error(), "handshake failure") {
		t.Errorf("the client says %v", err)
	}
	ca := s.secure(t)
	for id, more := range []string{"sslnegotiation=postgres", "sslnegotiation=direct"} {
		conn := connect(t, s.with("sslmode=verify-full", "sslrootcert="+ca, more))
		execOn(t, conn, "INSERT INTO t VALUES ($1)", id+2)
	}
	if n := s.count(t); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
}

// A kill strikes within TLS where it strikes in clear text.
func TestKillWithinTLS(t *testing.T) {
	for side, rows := range map[wire.Side]int{wire.Before: 1, wire.After: 2} {
		s := start(t)
		ca := s.secure(t)
		w := wiretest.KilledAt(t, s.gate, text("BEGIN"), wire.Fault{Match: text(alone), Side: side}, s.with("sslmode=verify-full", "sslrootcert="+ca))
		s.quiet(t)
		if got := s.count(t); got != rows || heard(w) != 3 {
			t.Errorf("%s: %d rows, heard %d replies: %s", side, got, heard(w), w.Said)
		}
	}
}

// What was sent ahead in clear text is not taken for what came within TLS.
func TestNothingIsSmuggledIntoTLS(t *testing.T) {
	s := start(t)
	s.secure(t)
	conn := dial(t, s.proxy.Addr())
	conn.Write([]byte{0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f, 0, 0, 0, 8, 0, 3, 0, 0})
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("it was answered")
	}
}
