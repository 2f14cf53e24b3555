package httpwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime/debug"
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
		Handler: loud(h), ConnContext: withLine, ConnState: s.count, ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(door{ln, gate}) // http.ErrServerClosed, from stop
	}()
	return nil
}

// loud ends the program by a panic that is none of net/http's own, which would keep it to
// itself: whoever waits for the step would wait for ever.
func loud(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				trace := debug.Stack()
				go func() { panic(fmt.Sprintf("%v\n%s", p, trace)) }()
			}
			panic(p)
		}()
		h(w, r)
	}
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
	return &line{Client: d.gate.Client(conn)}, nil
}

type lineKey struct{}

func withLine(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, lineKey{}, c)
}

func lineOf(r *http.Request) *line { return r.Context().Value(lineKey{}).(*line) }
