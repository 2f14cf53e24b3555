package httpwire_test

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkProxy shows what the proxy adds to one call, each on a connection of its own, as
// it makes one upstream.
func BenchmarkProxy(b *testing.B) {
	u := startUpstream(b)
	p, _, k := start(b, u.URL)
	for _, to := range []struct{ name, url string }{{"direct", u.URL}, {"proxied", p.URL()}} {
		b.Run(to.name+"/call", func(b *testing.B) {
			c := client()
			roundTrips(b, func() error {
				resp, err := c.Post(to.url+"/charges", "application/json", http.NoBody)
				if err != nil {
					return err
				}
				return resp.Body.Close()
			})
			k.forget()
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
