package httpwire_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// A long poll ends upstream when its client goes, while the gate is open.
func TestLongPollEndsWithItsClient(t *testing.T) {
	u := startUpstream(t)
	p, g, k := start(t, u.URL)
	ctx, leave := context.WithCancel(t.Context())
	heard := getAs(ctx, client(), p.URL()+"/poll")
	<-u.began
	if n := g.InFlight(text("GET /poll")); n != 1 {
		t.Errorf("in flight %d, want the poll", n) // the control: it waits until then
	}
	leave()
	<-heard
	if err := g.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if u.count("GET /poll") != 1 || k.count("GET /poll", wire.Lost) != 1 {
		t.Error("the poll did not end")
	}
}

// A held request whose client has gone, and the proxy knows it: not forwarded
// when the gate shuts; forwarded whole when it is released.
func TestHeldRequestOfAClientThatHasGone(t *testing.T) {
	for served, released := range []bool{false, true} {
		u := startUpstream(t)
		forwarded := make(chan struct{})
		g := wire.NewGate(func(e wire.Event) {
			if e.Phase == wire.Forwarded {
				close(forwarded)
			}
		})
		gone := make(chan context.Context, 1)
		p, err := httpwire.Listen(g, "outside", u.URL, func(r *http.Request, body []byte) string {
			gone <- r.Context()
			return httpwire.DefaultName(r, body)
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := g.Arm(wire.Fault{Match: text("POST /charges"), Do: wire.Hold})
		ctx, leave := context.WithCancel(t.Context())
		heard := postAs(ctx, client(), p.URL()+"/charges", strings.Repeat("x", 1<<20))
		<-a.Fired()
		leave()
		<-heard
		<-(<-gone).Done()
		if released {
			a.Release()
			<-forwarded
			if err := g.Quiet(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		p.Close()
		if err := g.Quiet(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := u.count("POST /charges"); got != served {
			t.Errorf("released %v: served %d, want %d", released, got, served)
		}
	}
}

func get(c *http.Client, url string) <-chan error { return getAs(context.Background(), c, url) }

func getAs(ctx context.Context, c *http.Client, url string) <-chan error {
	return later(ctx, c, http.MethodGet, url, "")
}

func postAs(ctx context.Context, c *http.Client, url, body string) <-chan error {
	return later(ctx, c, http.MethodPost, url, body)
}

func later(ctx context.Context, c *http.Client, method, url, body string) <-chan error {
	heard := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			heard <- err
			return
		}
		resp, err := c.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		heard <- err
	}()
	return heard
}
