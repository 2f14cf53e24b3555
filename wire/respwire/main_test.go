package respwire_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/lab/redis"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// TestMain is the worker process when the test says so, and looks for goroutines left
// behind when it is the test.
func TestMain(m *testing.M) {
	if addr := os.Getenv("RESPWIRE_TEST_WORKER"); addr != "" {
		work(addr)
	}
	code := m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Println("goroutines left:\n" + left)
		code = 1
	}
	os.Exit(code)
}

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

// server is the one that all tests share; each has it empty.
var server = sync.OnceValues(func() (*redis.Server, error) { return redis.Start(context.Background()) })

// setup is an empty server, the proxy in front of it, and what its gate has recorded.
type setup struct {
	addr   string // of the server
	proxy  *respwire.Proxy
	gate   *wire.Gate
	direct *goredis.Client

	options respwire.Options

	mu      sync.Mutex
	events  []wire.Event
	changed chan struct{}
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
	s := &setup{addr: u.Host, changed: make(chan struct{})}
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
	s.gate = wire.NewGate(s.record)
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

func (s *setup) quiet(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.gate.Quiet(ctx); err != nil {
		t.Fatal(err)
	}
}

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

// raw is a connection of which each byte is the test's own.
func raw(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// say sends and reads what must come back.
func say(t testing.TB, conn net.Conn, sent, want string) {
	t.Helper()
	if _, err := conn.Write([]byte(sent)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
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
