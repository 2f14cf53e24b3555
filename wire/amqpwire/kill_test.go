package amqpwire_test

import (
	"fmt"
	"os"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

const (
	ready   = "Basic.Consume jobs"
	deliver = "Basic.Deliver jobs"
	effect  = "Basic.Publish effects"
	ack     = "Basic.Ack jobs"
)

// work is a worker that takes messages one by one, has its effect, and acknowledges. It
// says what it does.
func work(addr string) {
	conn, err := amqp.Dial("amqp://guest:guest@" + addr + "/")
	must(err)
	ch, err := conn.Channel()
	must(err)
	must(ch.Qos(1, 0, false))
	messages, err := ch.Consume(queue, "", false, false, false, false, nil)
	must(err)
	for m := range messages {
		fmt.Println("got", string(m.Body), m.Redelivered)
		must(ch.Publish("", "effects", false, false, amqp.Publishing{Body: m.Body}))
		must(m.Ack(false))
		fmt.Println("acknowledged")
	}
	os.Exit(0)
}

func must(err error) {
	if err != nil {
		fmt.Println("done", err)
		os.Exit(0)
	}
}

// Where the worker is killed decides what is in the broker once that is quiet: nothing is
// polled for.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		text    string
		side    wire.Side
		queued  int
		effects int
	}{
		{deliver, wire.Before, 1, 0},
		{effect, wire.Before, 1, 0},
		{effect, wire.After, 1, 1},
		{ack, wire.Before, 1, 1},
		{ack, wire.After, 0, 1},
	} {
		t.Run(c.side.String()+" "+c.text, func(t *testing.T) {
			s := start(t)
			effects := declareEffects(t, s)
			s.push(t, "m")
			for run := range 10 {
				w := wiretest.KilledAt(t, s.gate, text(ready), wire.Fault{Match: text(c.text), Side: c.side}, s.proxy.Addr())
				s.quiet(t)
				if got := s.queued(t); got != c.queued || effects() != c.effects {
					t.Fatalf("run %d: queued %d, effects %d, said %s", run, got, effects(), w.Said)
				}
				steps := s.Steps()
				if last := steps[len(steps)-1]; last != c.text+" [killed: ]" {
					t.Fatalf("steps %q, want %q killed last", steps, c.text)
				}
				s.reset(t, "m")
			}
		})
	}
}

func (s *setup) reset(t *testing.T, body string) {
	t.Helper()
	for _, q := range []string{queue, "effects"} {
		if _, err := s.direct.QueuePurge(q, false); err != nil {
			t.Fatal(err)
		}
	}
	s.push(t, body)
	s.gate.Close()
	s.listen(t)
}

func declareEffects(t *testing.T, s *setup) (count func() int) {
	t.Helper()
	if _, err := s.direct.QueueDeclare("effects", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.direct.QueuePurge("effects", false); err != nil {
		t.Fatal(err)
	}
	return func() int {
		q, err := s.direct.QueueDeclarePassive("effects", true, false, false, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return q.Messages
	}
}
