package celery

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

var servers Servers

// TestMain ends what is slow to start and shared.
func TestMain(m *testing.M) {
	status := m.Run()
	if err := servers.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// consumer is a worker driven by hand, on RabbitMQ.
type consumer struct {
	*testing.T
	q       *Queue
	gate    *wire.Gate
	address string
	channel *amqp.Channel
	tasks   <-chan amqp.Delivery
}

func startConsumer(t *testing.T) consumer {
	t.Helper()
	q, err := servers.Start(t.Context(), Settings{Broker: RabbitMQ, Task: "billing.charge"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	c := consumer{T: t, q: q, gate: wire.NewGate(func(e wire.Event) { q.Crossed("A", e) })}
	way, err := q.Listen(c.gate, "A")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.gate.Shut(); way.Close(); c.gate.Close() })
	c.address = vhost(way.Addresses().Broker)
	c.connect()
	c.hears()
	return c
}

// connect does so once more where it was connected before.
func (c *consumer) connect() {
	c.Helper()
	conn, err := amqp.Dial(c.address)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { conn.Close() })
	if c.channel, err = conn.Channel(); err != nil {
		c.Fatal(err)
	}
	if _, err := c.channel.QueueDeclare(standard, true, false, false, false, nil); err != nil {
		c.Fatal(err)
	}
	if c.tasks, err = c.channel.Consume(standard, "", false, false, false, false, nil); err != nil {
		c.Fatal(err)
	}
}

// hears says by its answer that its task is acknowledged late.
func (c consumer) hears() {
	c.Helper()
	if err := c.channel.ExchangeDeclare(answer, "direct", false, false, false, false, nil); err != nil {
		c.Fatal(err)
	}
	for _, said := range []string{`{"celery@here": ["billing.charge [acks_late=True]"]}`, `{"celery@here": {"ok": "task events enabled"}}`} {
		if err := c.channel.PublishWithContext(c.Context(), answer, answerTo, false, false, amqp.Publishing{Body: []byte(said)}); err != nil {
			c.Fatal(err)
		}
	}
}

func vhost(address string) string { return address[:len(address)-1] }

func (c consumer) take() amqp.Delivery {
	c.Helper()
	select {
	case d := <-c.tasks:
		return d
	case <-time.After(30 * time.Second):
		c.Fatal("no task came")
	}
	return amqp.Delivery{}
}

func (c consumer) until(want string) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), 30*time.Second)
	defer cancel()
	_ = c.q.Wait(ctx, func(s queue.Snapshot) bool { return kinds(s) == want }) // the comparison tells
	if got := kinds(c.q.Look()); got != want {
		c.Errorf("told %q, want %q", got, want)
	}
}

func kinds(s queue.Snapshot) string {
	var all []string
	for _, e := range s.Events {
		all = append(all, fmt.Sprintf("%s%d", e.Kind, e.Copy))
	}
	return fmt.Sprint(all)
}

func TestRabbitMQAcknowledged(t *testing.T) {
	c := startConsumer(t)
	id := send(t, c.q)
	d := c.take()
	if d.CorrelationId != id || d.Headers["task"] != "billing.charge" || d.ContentType != "application/json" || string(d.Body[:7]) != `[["o1"]` {
		t.Errorf("%s: %v", d.Body, d.Headers)
	}
	c.until("[sent1 received1]")
	if err := d.Ack(false); err != nil {
		t.Fatal(err)
	}
	c.until("[sent1 received1 deleted1]")
}

// The broker gives back at once what a dead worker had, and what it gave back itself.
func TestRabbitMQGivesBack(t *testing.T) {
	c := startConsumer(t)
	send(t, c.q)
	if err := c.take().Reject(true); err != nil {
		t.Fatal(err)
	}
	if d := c.take(); !d.Redelivered {
		t.Error("it is no redelivery")
	}
	c.until("[sent1 received1 visibility_changed1 received1]")
	c.gate.Shut()
	if err := c.gate.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.q.Dead("A")
	c.until("[sent1 received1 visibility_changed1 received1 visibility_over1]")
	if n := depth(t, c.q); n != 1 {
		t.Errorf("%d on the queue", n)
	}
	if err := c.q.Lose(); err != nil {
		t.Fatal(err)
	}
	if n := depth(t, c.q); n != 0 {
		t.Errorf("%d on the queue after they were lost", n)
	}
}

// A worker whose connection is cut gets what it had once more, and acknowledges that.
func TestRabbitMQConnectionCut(t *testing.T) {
	c := startConsumer(t)
	cut := c.gate.Arm(wire.Fault{Match: func(s wire.Step) bool { return c.q.IsEnd("A", s) }, Do: wire.Drop})
	send(t, c.q)
	_ = c.take().Ack(false) // it is not forwarded
	wiretest.Fires(t, cut)
	c.connect()
	d := c.take()
	c.until("[sent1 received1 visibility_over1 received1]")
	if err := d.Ack(false); err != nil {
		t.Fatal(err)
	}
	c.until("[sent1 received1 visibility_over1 received1 deleted1]")
	if s := c.q.Look(); s.Left() != 0 || !s.Idle["A"] {
		t.Errorf("at the end: %+v", s)
	}
}

func depth(t *testing.T, q *Queue) int {
	t.Helper()
	channel, err := q.broker.(*rabbitBroker).conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	defer channel.Close()
	declared, err := channel.QueueDeclarePassive(standard, true, false, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return declared.Messages
}

// A put back has a time among its headers, and is kept by the worker until then.
func TestRabbitMQPutBack(t *testing.T) {
	c := startConsumer(t)
	send(t, c.q)
	d := c.take()
	copied := amqp.Publishing{Headers: d.Headers, Body: d.Body, CorrelationId: d.CorrelationId}
	copied.Headers["eta"] = time.Now().Add(time.Minute).UTC().Format(time.RFC3339Nano)
	if err := c.channel.PublishWithContext(t.Context(), "", standard, false, false, copied); err != nil {
		t.Fatal(err)
	}
	if err := d.Ack(false); err != nil {
		t.Fatal(err)
	}
	c.take()
	wait(t, c.q, func(s queue.Snapshot) bool { return s.Delayed == 1 && s.Idle["A"] })
	if err := c.q.Advance(time.Minute + time.Second); err != nil {
		t.Fatal(err)
	}
	if now := c.take(); now.Headers["eta"] != nil || now.CorrelationId != d.CorrelationId {
		t.Errorf("%v", now.Headers)
	}
	c.until("[sent1 received1 visibility_changed1 visibility_over1 received1]")
}

// A worker that lives and does not move keeps what it has for ever: by force.
func TestRabbitMQForce(t *testing.T) {
	c := startConsumer(t)
	send(t, c.q)
	c.take()
	if err := c.q.Advance(time.Hour); err != nil {
		t.Fatal(err)
	}
	c.take()
	c.until("[sent1 received1 redelivered2 received2]")
}

// A worker may have what it puts on before that is seen; then it is no other copy, and stays
// in its hand.
func TestWhatAWorkerPutsOnIsItsOwnAtOnce(t *testing.T) {
	c := newCopies()
	c.requeues = true
	m, err := newMessage("billing.charge", queue.Message{Body: `{"args": ["o1"]}`})
	if err != nil {
		t.Fatal(err)
	}
	given := m
	given.Properties = maps.Clone(m.Properties)
	c.rename(&given, "A/1/1/1", false)
	c.received("A", given, standard, true)
	c.arrived("A", m, standard)
	if s := c.Look(); kinds(s) != "[received1 sent1]" || s.InFlight != 1 {
		t.Errorf("told %s, %d in hand", kinds(s), s.InFlight)
	}
}

// A copy with a time that its worker gets back before it was seen to put it on stands in the
// place of the one in hand.
func TestWhatAWorkerPutsBackIsNoOtherCopy(t *testing.T) {
	c := newCopies()
	c.requeues = true
	m, err := newMessage("billing.charge", queue.Message{Body: `{"args": ["o1"]}`})
	if err != nil {
		t.Fatal(err)
	}
	deliver := func(m message, tag string) {
		m.Properties = maps.Clone(m.Properties)
		c.rename(&m, tag, false)
		c.received("A", m, standard, true)
	}
	c.put(queue.Sent, m, standard)
	deliver(m, "A/1/1/1")
	back := m.again()
	back.Headers["eta"] = raw(time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano))
	deliver(back, "A/1/1/2")
	c.arrived("A", back, standard)
	if s := c.Look(); kinds(s) != "[sent1 received1 visibility_changed1]" || s.Delayed != 1 {
		t.Errorf("told %s, %d delayed", kinds(s), s.Delayed)
	}
	for _, own := range c.those(func(t *taken) bool { return t.state == waiting }) {
		if own.n != 1 || c.made[m.id()] != 1 {
			t.Errorf("it is copy %d of %d", own.n, c.made[m.id()])
		}
	}
}

// Headers are read as they were written.
func TestHeaders(t *testing.T) {
	written := amqp.Table{
		"text": "ü", "none": nil, "yes": true, "small": int8(-3), "short": int16(-300), "int": int32(-70000), "long": int64(1) << 40,
		"real": 1.5, "list": []any{nil, "a", int32(1)}, "table": amqp.Table{"eta": "now"},
	}
	c := startConsumer(t)
	if err := c.channel.PublishWithContext(t.Context(), "", standard, false, false, amqp.Publishing{Headers: amqp.Table{
		"id": "x", "task": "billing.charge", "all": written,
	}, Body: []byte("[[],{},{}]")}); err != nil {
		t.Fatal(err)
	}
	wait(t, c.q, func(s queue.Snapshot) bool {
		return slices.ContainsFunc(s.Events, func(e queue.Event) bool { return e.Kind == queue.Sent })
	})
	m, _ := c.q.another("x")
	want := `{"int":-70000,"list":[null,"a",1],"long":1099511627776,"none":null,"real":1.5,"short":-300,"small":-3,"table":{"eta":"now"},"text":"ü","yes":true}`
	if got := string(m.Headers["all"]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
