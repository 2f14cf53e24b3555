package amqpwire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net/url"
	"os"
	"sync"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/lab/rabbitmq"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/amqpwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// TestMain is the worker process when the test says so, and looks for goroutines left
// behind when it is the test.
func TestMain(m *testing.M) {
	os.Exit(wiretest.Main(m, work))
}

// broker is the one that all tests share.
var broker = sync.OnceValues(func() (*rabbitmq.Server, error) { return rabbitmq.Start(context.Background()) })

// queue is each test's, and empty at its beginning.
const queue = "jobs"

// setup is a broker, the proxy in front of it, and what its gate has recorded.
type setup struct {
	*wiretest.Tape
	addr   string // of the broker
	proxy  *amqpwire.Proxy
	gate   *wire.Gate
	direct *amqp.Channel

	options amqpwire.Options
	offer   *tls.Config
}

func start(t testing.TB, options ...amqpwire.Options) *setup {
	t.Helper()
	one, err := broker()
	if missing := (*rabbitmq.NotInstalledError)(nil); errors.As(err, &missing) {
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
	s.direct = channel(t, connect(t, s.addr))
	if _, err := s.direct.QueueDelete(queue, false, false, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.direct.QueueDeclare(queue, true, false, false, false, nil); err != nil {
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
	if s.proxy, err = amqpwire.Listen(s.gate, "queue", s.addr, s.options); err != nil {
		t.Fatal(err)
	}
	proxy, gate := s.proxy, s.gate
	t.Cleanup(func() { proxy.Close(); gate.Close() })
}

func connect(t testing.TB, addr string) *amqp.Connection {
	t.Helper()
	conn, err := amqp.Dial("amqp://guest:guest@" + addr + "/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // a test may have ended it
	return conn
}

func channel(t testing.TB, conn *amqp.Connection) *amqp.Channel {
	t.Helper()
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func (s *setup) quiet(t testing.TB) { wiretest.Quiet(t, s.gate) }

// queued is how many messages are ready for the next worker.
func (s *setup) queued(t testing.TB) int {
	t.Helper()
	q, err := s.direct.QueueDeclarePassive(queue, true, false, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q.Messages
}

func (s *setup) push(t testing.TB, bodies ...string) {
	t.Helper()
	if err := s.direct.Confirm(false); err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies {
		c, err := s.direct.PublishWithDeferredConfirmWithContext(t.Context(), "", queue, false, false,
			amqp.Publishing{Body: []byte(b), CorrelationId: "id of " + b, DeliveryMode: amqp.Persistent})
		if err != nil {
			t.Fatal(err)
		}
		c.Wait()
	}
}

func text(s string) func(wire.Step) bool {
	return func(step wire.Step) bool { return step.Text == s }
}
