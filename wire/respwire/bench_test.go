package respwire_test

import (
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// BenchmarkProxy shows what the proxy adds to one command, and to a transaction.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	for name, exchange := range map[string]func(*goredis.Client) error{
		"command": func(c *goredis.Client) error { return c.Set(b.Context(), "a", "b", 0).Err() },
		"transaction": func(c *goredis.Client) error {
			_, err := c.TxPipelined(b.Context(), func(p goredis.Pipeliner) error {
				p.ZRem(b.Context(), "unacked_index", "tag")
				p.HDel(b.Context(), "unacked", "tag")
				return nil
			})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			wiretest.RoundTrips(b, s.addr, s.proxy.Addr(), func(addr string) func() error {
				c := client(b, addr, 3)
				return func() error { return exchange(c) }
			})
			s.Steps() // or the events pile up
		})
	}
}
