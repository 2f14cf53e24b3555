package httpwire_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// BenchmarkProxy shows what the proxy adds to one call of a client that keeps its connection.
func BenchmarkProxy(b *testing.B) {
	u := startUpstream(b)
	p, _, k := start(b, u.URL)
	wiretest.RoundTrips(b, u.URL, p.URL(), func(url string) func() error {
		keeps := &http.Transport{}
		b.Cleanup(keeps.CloseIdleConnections)
		c := &http.Client{Transport: keeps}
		return func() error {
			resp, err := c.Post(url+"/charges", "application/json", strings.NewReader(`{"order_id": "o1"}`))
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, resp.Body) // or the connection is not kept
			resp.Body.Close()
			return err
		}
	})
	k.forget()
}
