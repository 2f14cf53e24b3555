package amqpwire_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/amqpwire"
)

// next waits for a delivery.
func next(t *testing.T, messages <-chan amqp.Delivery) amqp.Delivery {
	t.Helper()
	select {
	case m, ok := <-messages:
		if !ok {
			t.Fatal("the channel is closed")
		}
		return m
	case <-time.After(time.Minute):
		t.Fatal("nothing is delivered")
	}
	return amqp.Delivery{}
}

func check(t testing.TB, all ...error) {
	t.Helper()
	for _, err := range all {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func closeAll(t testing.TB, conn *amqp.Connection) {
	t.Helper()
	check(t, conn.Close())
}

// A whole connection, as a client makes it.
func TestSteps(t *testing.T) {
	s := start(t)
	s.push(t, "m1", "m2", "m3")
	conn := connect(t, s.proxy.Addr())
	ch := channel(t, conn)
	_, err := ch.QueueDeclare("jobs.6ba7b810-9dad-11d1-80b4-00c04fd430c8", false, true, true, false, nil)
	check(t, err, ch.ExchangeDeclare("events", "topic", true, false, false, false, nil),
		ch.QueueBind("jobs.6ba7b810-9dad-11d1-80b4-00c04fd430c8", "order.#", "events", false, nil), ch.Qos(1, 0, false))
	messages, err := ch.ConsumeWithContext(t.Context(), queue, "me", false, false, false, false, nil)
	check(t, err)
	check(t, next(t, messages).Ack(false))
	check(t, next(t, messages).Nack(false, false))
	check(t, next(t, messages).Reject(true))
	again := next(t, messages)
	if !again.Redelivered || string(again.Body) != "m3" {
		t.Errorf("redelivered %v: %s", again.Redelivered, again.Body)
	}
	check(t, again.Ack(false), ch.Cancel("me", false))
	_, got, err := ch.Get(queue, true)
	check(t, err)
	check(t, ch.PublishWithContext(t.Context(), "events", "order.17", false, false, amqp.Publishing{Body: []byte("x")}))
	check(t, ch.PublishWithContext(t.Context(), "", queue, false, false, amqp.Publishing{}))
	check(t, ch.Tx(), ch.TxCommit(), ch.Close())
	closeAll(t, conn)
	if got {
		t.Error("a message that was acknowledged is there")
	}
	s.Want(t, "Channel.Open [OK]", "Queue.Declare jobs.? [OK]", "Exchange.Declare events [OK]", "Queue.Bind jobs.? events order.# [OK]",
		"Basic.Qos [OK]", "Basic.Consume jobs [OK]", "Basic.Deliver jobs []", "Basic.Ack jobs []", "Basic.Deliver jobs []", "Basic.Nack jobs []",
		"Basic.Deliver jobs []", "Basic.Reject jobs requeue []", "Basic.Deliver jobs []", "Basic.Ack jobs []", "Basic.Cancel [OK]",
		"Basic.Get jobs [empty]", "Basic.Publish events/order.? []", "Basic.Publish jobs []", "Tx.Select [OK]", "Tx.Commit [OK]", "Channel.Close [OK]")
}

// On a channel that confirms, the confirmation is a publish's answer, and comes after what
// the broker returns.
func TestConfirmsAndReturns(t *testing.T) {
	s := start(t)
	ch := channel(t, connect(t, s.proxy.Addr()))
	returned := ch.NotifyReturn(make(chan amqp.Return, 1))
	check(t, ch.Confirm(false))
	for _, to := range []string{queue, "nowhere"} {
		c, err := ch.PublishWithDeferredConfirmWithContext(t.Context(), "", to, true, false, amqp.Publishing{Body: []byte("m")})
		check(t, err)
		if !c.Wait() {
			t.Errorf("%s is refused", to)
		}
	}
	if r := <-returned; r.RoutingKey != "nowhere" || string(r.Body) != "m" {
		t.Errorf("returned %v", r)
	}
	s.Want(t, "Channel.Open [OK]", "Confirm.Select [OK]", "Basic.Publish jobs [confirmed]",
		"Basic.Return nowhere []", "Basic.Publish nowhere [confirmed]")
}

// What a queue's package is told: who got what, and what is acknowledged, also several at
// once; and a Get is a poll with a delivery.
func TestSaid(t *testing.T) {
	var all []string
	s := start(t, amqpwire.Options{
		Saw: func(step wire.Step, said amqpwire.Said) {
			for _, m := range said.Messages {
				all = append(all, fmt.Sprintf("%s %d %v %s %s %q %s", step.Text, m.Tag, m.Redelivered, m.Queue, m.CorrelationID, m.Body, said.Status))
			}
		},
		Name: func(said amqpwire.Said) string {
			if said.Method == "Basic.Ack" {
				return fmt.Sprint("acknowledged ", len(said.Messages))
			}
			return ""
		},
	})
	s.push(t, "m1", "m2", "m3", "m4")
	conn := connect(t, s.proxy.Addr())
	ch := channel(t, conn)
	messages, err := ch.ConsumeWithContext(t.Context(), queue, "", false, false, false, false, nil)
	check(t, err)
	first := next(t, messages)
	next(t, messages)
	third := next(t, messages)
	check(t, next(t, messages).Ack(false), third.Ack(true)) // 4, and then all up to 3
	other := channel(t, conn)
	s.push(t, "m5")
	next(t, messages)
	if err := first.Ack(false); err != nil { // a second time, which the broker does not take
		t.Fatal(err)
	}
	s.Wait(t, "Channel.Close 406 PRECONDITION_FAILED", wire.Passed) // and m5 goes back
	var got amqp.Delivery
	for ok := false; !ok; {
		got, ok, err = other.Get(queue, false)
		check(t, err)
	}
	check(t, got.Ack(false))
	closeAll(t, conn)
	want := []string{
		`Basic.Deliver jobs 1 false jobs id of m1 "m1" `, `Basic.Deliver jobs 2 false jobs id of m2 "m2" `,
		`Basic.Deliver jobs 3 false jobs id of m3 "m3" `, `Basic.Deliver jobs 4 false jobs id of m4 "m4" `,
		`acknowledged 1 4 false jobs id of m4 "" `,
		`acknowledged 3 1 false jobs id of m1 "" `, `acknowledged 3 2 false jobs id of m2 "" `, `acknowledged 3 3 false jobs id of m3 "" `,
		`Basic.Deliver jobs 5 false jobs id of m5 "m5" `, `acknowledged 1 1 false   "" `,
		`Basic.Deliver jobs 1 true jobs id of m5 "m5" `, `acknowledged 1 1 true jobs id of m5 "" `,
	}
	if !slices.Equal(all, want) {
		t.Errorf("saw\n\t%s\nwant\n\t%s", strings.Join(all, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// An error of the broker is the answer of the method that is under way.
func TestErrors(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxy.Addr())
	if _, err := channel(t, conn).QueueDeclarePassive("nowhere", false, false, false, false, nil); err == nil {
		t.Error("a queue that is not there is there")
	}
	if _, err := channel(t, conn).QueueDeclare(queue, false, false, false, false, nil); err == nil {
		t.Error("a durable queue is declared as one that is not")
	}
	s.Want(t, "Channel.Open [OK]", "Queue.Declare nowhere [404 NOT_FOUND]",
		"Channel.Open [OK]", "Queue.Declare jobs [406 PRECONDITION_FAILED]")
}

// What is large comes in many frames and goes through a file; what is shown is bounded.
func TestLarge(t *testing.T) {
	var shown []int
	s := start(t, amqpwire.Options{Saw: func(_ wire.Step, said amqpwire.Said) {
		for _, m := range said.Messages {
			if m.Cut {
				shown = append(shown, len(m.Body))
			}
		}
	}})
	conn := connect(t, s.proxy.Addr())
	ch := channel(t, conn)
	large := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
	check(t, ch.PublishWithContext(t.Context(), "", queue, false, false, amqp.Publishing{Body: large}))
	messages, err := ch.ConsumeWithContext(t.Context(), queue, "", true, false, false, false, nil)
	check(t, err)
	if got := next(t, messages); !bytes.Equal(got.Body, large) {
		t.Errorf("%d bytes came back", len(got.Body))
	}
	closeAll(t, conn)
	if !slices.Equal(shown, []int{1 << 20, 1 << 20}) {
		t.Errorf("shown are %v bytes", shown)
	}
}

// Dropped is the connection, before the broker heard of the acknowledgement or after.
func TestDrop(t *testing.T) {
	for side, want := range map[wire.Side]int{wire.Before: 1, wire.After: 0} {
		s := start(t)
		s.push(t, "m")
		a := s.gate.Arm(wire.Fault{Match: text(ack), Side: side, Do: wire.Drop})
		messages, err := channel(t, connect(t, s.proxy.Addr())).ConsumeWithContext(t.Context(), queue, "", false, false, false, false, nil)
		check(t, err)
		_ = next(t, messages).Ack(false) // says what the connection says, which ends
		<-a.Fired()
		s.quiet(t)
		if got := s.queued(t); got != want {
			t.Errorf("%s: queued %d, want %d", side, got, want)
		}
		check(t, channel(t, connect(t, s.proxy.Addr())).Close()) // the next one is served
	}
}

// A worker that goes by itself is told apart from one that is killed.
func TestWorkerThatGoes(t *testing.T) {
	s := start(t)
	s.push(t, "m")
	a := s.gate.Arm(wire.Fault{Match: text(ack), Do: wire.Hold})
	conn := connect(t, s.proxy.Addr())
	messages, err := channel(t, conn).ConsumeWithContext(t.Context(), queue, "", false, false, false, false, nil)
	check(t, err)
	check(t, next(t, messages).Ack(false))
	<-a.Fired()
	go func() { _ = conn.CloseDeadline(time.Now()) }() // its answer does not come
	if got := s.queued(t); got != 0 {
		t.Errorf("queued %d while the acknowledgement is held", got)
	}
	a.Release() // the network delivers it late
	s.Wait(t, ack, wire.Passed)
	s.gate.Shut()
	s.quiet(t)
	if got := s.queued(t); got != 0 {
		t.Errorf("queued %d", got)
	}
}
