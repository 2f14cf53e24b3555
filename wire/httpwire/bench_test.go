package httpwire_test

import (
	"net/http"
	"testing"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// BenchmarkProxy shows what the proxy adds to one call, each on a connection of its own, as
// it makes one upstream.
func BenchmarkProxy(b *testing.B) {
	u := startUpstream(b)
	p, _, k := start(b, u.URL)
	c := client()
	call := func(url string) func() error {
		return func() error {
			resp, err := c.Post(url+"/charges", "application/json", http.NoBody)
			if err != nil {
				return err
			}
			return resp.Body.Close()
		}
	}
	wiretest.RoundTrips(b, call(u.URL), call(p.URL()))
	k.forget()
}
