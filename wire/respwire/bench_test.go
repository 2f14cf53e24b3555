package respwire_test

import (
	"slices"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// BenchmarkProxy shows what the proxy adds to one command, and to a transaction.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	for _, to := range []struct{ name, addr string }{{"direct", s.addr}, {"proxied", s.proxy.Addr()}} {
		c := client(b, to.addr, 3)
		b.Run(to.name+"/command", func(b *testing.B) {
			roundTrips(b, func() error { return c.Set(b.Context(), "a", "b", 0).Err() })
			s.trace() // or the events pile up
		})
		b.Run(to.name+"/transaction", func(b *testing.B) {
			roundTrips(b, func() error {
				_, err := c.TxPipelined(b.Context(), func(p goredis.Pipeliner) error {
					p.ZRem(b.Context(), "unacked_index", "tag")
					p.HDel(b.Context(), "unacked", "tag")
					return nil
				})
				return err
			})
			s.trace()
		})
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
