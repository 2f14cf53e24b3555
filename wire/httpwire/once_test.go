package httpwire_test

import (
	"bufio"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// startPeer serves each connection, and counts them.
func startPeer(t *testing.T, serve func(net.Conn, *bufio.Reader)) (url string, conns *atomic.Int32) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	conns = new(atomic.Int32)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go func() {
				defer conn.Close()
				serve(conn, bufio.NewReader(conn))
			}()
		}
	}()
	return "http://" + ln.Addr().String(), conns
}

// A server that serves a connection's first request and goes at the second: the
// case in which net/http sends an idempotent request again by itself.
func startFickle(t *testing.T) (url string, asked *atomic.Int32) {
	asked = new(atomic.Int32)
	url, _ = startPeer(t, func(conn net.Conn, requests *bufio.Reader) {
		for first := true; ; first = false {
			r, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			asked.Add(1)
			if !first || r.URL.Path == "/gone" {
				return
			}
			conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		}
	})
	return url, asked
}

func TestARequestReachesThePeerAtMostOnce(t *testing.T) {
	url, asked := startFickle(t)
	p, _, k := start(t, url)
	for _, path := range []string{"/", "/", "/gone"} {
		<-get(client(), p.URL()+path)
	}
	if asked.Load() != 3 {
		t.Errorf("the peer was asked %d times for 3 requests", asked.Load())
	}
	if k.count("GET /gone", wire.Lost) != 1 {
		t.Error("a reply was made up")
	}
}

// The control: net/http's own transport asks this peer three times for two
// requests.
func TestNetHTTPSendsAgain(t *testing.T) {
	url, asked := startFickle(t)
	c := &http.Client{Transport: &http.Transport{}}
	for range 2 {
		if err := <-get(c, url); err != nil {
			t.Fatal(err)
		}
	}
	if asked.Load() != 3 {
		t.Errorf("the peer was asked %d times, so the other test shows nothing", asked.Load())
	}
	c.CloseIdleConnections()
}

// No reply is made up for a peer that does not listen either.
func TestPeerThatDoesNotListen(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	p, _, k := start(t, "http://"+ln.Addr().String())
	if err := <-get(client(), p.URL()); err == nil {
		t.Error("a reply was made up")
	}
	if k.count("GET /", wire.Refused) != 1 || k.count("GET /", wire.Forwarded) != 0 {
		t.Errorf("events %v", k.all)
	}
}
