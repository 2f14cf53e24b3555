package respwire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/lab/redis"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// TestMain is the worker process when the test says so, and looks for goroutines left
// behind when it is the test.
func TestMain(m *testing.M) {
	os.Exit(wiretest.Main(m, work))
}

// server is the one that all tests share; each has it empty.
var server = sync.OnceValues(func() (*redis.Server, error) { return redis.Start(context.Background()) })

// setup is an empty server, the proxy in front of it, and what its gate has recorded.
type setup struct {
	*wiretest.Tape
	addr   string // of the server
	proxy  *respwire.Proxy
	gate   *wire.Gate
	direct *goredis.Client

	options respwire.Options
	offer   *tls.Config
}

func start(t testing.TB, options ...respwire.Options) *setup {
	t.Helper()
	one, err := server()
	if missing := (*redis.NotInstalledError)(nil); errors.As(err, &missing) {
		t.Fatalf("%v\nhint: %s", err, missing.Hint())
	}
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(one.URL())
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{addr: u.Host, Tape: wiretest.NewTape()}
	for _, s.options = range options {
	}
	s.direct = client(t, s.addr, 2)
	if err := s.direct.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	s.listen(t)
	return s
}

// listen begins again with a new gate, as for the next worker.
func (s *setup) listen(t testing.TB) {
	t.Helper()
	var err error
	s.gate = wire.NewGate(s.Record)
	if s.offer != nil {
		s.gate.Offer("queue", s.offer)
	}
	if s.proxy, err = respwire.Listen(s.gate, "queue", s.addr, s.options); err != nil {
		t.Fatal(err)
	}
	proxy, gate := s.proxy, s.gate
	t.Cleanup(func() { proxy.Close(); gate.Close() })
}

// client makes each connection without a word about itself, and never tries again.
func client(t testing.TB, addr string, protocol int) *goredis.Client {
	c := goredis.NewClient(&goredis.Options{
		Addr: addr, Protocol: protocol, DisableIdentity: true, MaxRetries: -1, PoolSize: 4,
	})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (s *setup) quiet(t testing.TB) { wiretest.Quiet(t, s.gate) }

// list is what is in a list, from its head.
func (s *setup) list(t testing.TB, key string) []string {
	t.Helper()
	all, err := s.direct.LRange(t.Context(), key, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *setup) push(t testing.TB, key string, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if err := s.direct.LPush(t.Context(), key, m).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// say sends and reads what must come back.
func say(t testing.TB, conn net.Conn, sent, want string) {
	t.Helper()
	if _, err := conn.Write([]byte(sent)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	conn.SetReadDeadline(time.Now().Add(5 * time.Minute))
	n, err := readFull(conn, got)
	if string(got[:n]) != want {
		t.Fatalf("%q is answered by %q, %v, want %q", sent, got[:n], err, want)
	}
}

func readFull(conn net.Conn, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = conn.Read(b[n:])
		n += more
	}
	return n, err
}

func text(s string) func(wire.Step) bool {
	return func(step wire.Step) bool { return step.Text == s }
}
