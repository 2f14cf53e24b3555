package httpwire_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// keeping is a client that keeps its connection, and that nobody sends twice for.
type keeping struct {
	*testing.T
	net.Conn
	answers *bufio.Reader
}

func connect(t *testing.T, url string) keeping {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return keeping{t, conn, bufio.NewReader(conn)}
}

// get is the status, or why there is none.
func (c keeping) get(path string) (int, error) {
	c.Helper()
	if _, err := io.WriteString(c.Conn, "GET "+path+" HTTP/1.1\r\nHost: peer\r\n\r\n"); err != nil {
		c.Fatal(err)
	}
	resp, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// The peer's connection lasts as long as the worker's, as it would without a proxy; each
// connection of the worker has its own.
func TestAConnectionIsKeptWithItsOwn(t *testing.T) {
	states := make(chan http.ConnState, 100)
	peer := httptest.NewUnstartedServer(http.NotFoundHandler())
	peer.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew || s == http.StateClosed {
			states <- s
		}
	}
	peer.Start()
	defer peer.Close()
	p, g, _ := start(t, peer.URL)
	for range 2 {
		c := connect(t, p.URL())
		for range 3 {
			if got, err := c.get("/"); got != http.StatusNotFound {
				t.Fatal(got, err)
			}
		}
		if got := <-states; got != http.StateNew {
			t.Errorf("%v before a connection was there", got)
		}
		c.Close()
		if got := <-states; got != http.StateClosed {
			t.Errorf("%v: the peer has one connection more", got)
		}
		if err := g.Quiet(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A peer that has ended the connection meanwhile gets the next request on a new one. One that
// ends it when it has the request may have done what it says: that request is lost, and not
// sent again.
func TestAPeerThatEndsAKeptConnection(t *testing.T) {
	url, asked := startFickle(t)
	p, _, k := start(t, url)
	c := connect(t, p.URL())
	if got, err := c.get("/"); got != http.StatusOK {
		t.Fatal(got, err)
	}
	if got, err := c.get("/"); err == nil {
		t.Errorf("%d: a reply was made up", got)
	}
	if n := k.count("GET /", wire.Lost); asked.Load() != 2 || n != 1 {
		t.Errorf("the peer was asked %d times for 2 requests, %d lost", asked.Load(), n)
	}

	ended := make(chan struct{})
	impatient, conns := startPeer(t, func(conn net.Conn, requests *bufio.Reader) {
		if _, err := http.ReadRequest(requests); err == nil {
			conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
			conn.Close()
			ended <- struct{}{}
		}
	})
	p, _, _ = start(t, impatient)
	c = connect(t, p.URL())
	for range 3 {
		if got, err := c.get("/"); got != http.StatusOK {
			t.Fatal(got, err)
		}
		<-ended
	}
	if conns.Load() != 3 {
		t.Errorf("%d connections for 3 requests", conns.Load())
	}
}
