package httpwire

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// server is a listener on a loopback port that can be waited for.
type server struct {
	url   string
	http  *http.Server
	ended chan struct{}
	conns sync.WaitGroup
}

// URL is where the proxy listens.
func (s *server) URL() string { return s.url }

func (s *server) start(gate *wire.Gate, h http.HandlerFunc) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.url = "http://" + ln.Addr().String()
	s.ended = make(chan struct{})
	s.http = &http.Server{ //nolint:gosec // no time-outs: a held step may wait for long, and only loopback calls
		Handler: h, ConnContext: withClient, ConnState: s.count, ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(door{ln, gate}) // http.ErrServerClosed, from stop
	}()
	return nil
}

// count keeps the number of connections being served: http.Server.Close does not
// wait for them.
func (s *server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// stop closes the listener and waits until nobody is served any more.
func (s *server) stop() {
	s.http.Close()
	<-s.ended
	s.conns.Wait()
}

// door hands out connections that the gate knows.
type door struct {
	net.Listener
	gate *wire.Gate
}

func (d door) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return d.gate.Client(conn), nil
}

type clientKey struct{}

func withClient(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, clientKey{}, c.(*wire.Client))
}

func clientOf(r *http.Request) *wire.Client {
	return r.Context().Value(clientKey{}).(*wire.Client)
}
