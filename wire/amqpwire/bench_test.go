package amqpwire_test

import (
	"slices"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// BenchmarkProxy shows what the proxy adds to a method with its answer, and to the way of
// a message to a worker: published without a confirmation, delivered, acknowledged.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	for _, to := range []struct{ name, addr string }{{"direct", s.addr}, {"proxied", s.proxy.Addr()}} {
		ch := channel(b, connect(b, to.addr))
		b.Run(to.name+"/qos", func(b *testing.B) {
			roundTrips(b, func() error { return ch.Qos(1, 0, false) })
			s.trace() // or the events pile up
		})
		messages, err := ch.ConsumeWithContext(b.Context(), queue, "me", false, false, false, false, nil)
		check(b, err)
		b.Run(to.name+"/message", func(b *testing.B) {
			roundTrips(b, func() error {
				if err := ch.PublishWithContext(b.Context(), "", queue, false, false, amqp.Publishing{Body: []byte("x")}); err != nil {
					return err
				}
				m := <-messages
				return m.Ack(false)
			})
			s.trace()
		})
		check(b, ch.Close())
	}
}

func roundTrips(b *testing.B, ask func() error) {
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := ask(); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Microseconds()) }
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}
