package amqpwire_test

import (
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// BenchmarkProxy shows what the proxy adds to a method with its answer, and to the way of
// a message: published without a confirmation, delivered, acknowledged.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	b.Run("qos", func(b *testing.B) {
		wiretest.RoundTrips(b, s.addr, s.proxy.Addr(), func(addr string) func() error {
			ch := channel(b, connect(b, addr))
			return func() error { return ch.Qos(1, 0, false) }
		})
		s.Steps() // or the events pile up
	})
	b.Run("message", func(b *testing.B) {
		wiretest.RoundTrips(b, s.addr, s.proxy.Addr(), func(addr string) func() error { return message(b, addr) })
		s.Steps()
	})
}

// message is the way of one through a queue of its own.
func message(b *testing.B, addr string) func() error {
	ch := channel(b, connect(b, addr))
	own, err := ch.QueueDeclare("", false, true, true, false, nil)
	check(b, err)
	messages, err := ch.ConsumeWithContext(b.Context(), own.Name, "", false, false, false, false, nil)
	check(b, err)
	return func() error {
		if err := ch.PublishWithContext(b.Context(), "", own.Name, false, false, amqp.Publishing{Body: []byte("x")}); err != nil {
			return err
		}
		m := <-messages
		return m.Ack(false)
	}
}
