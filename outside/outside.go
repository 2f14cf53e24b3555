package outside

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// maxBody bounds what is kept of one call.
const maxBody = 16 << 20

// Outside is a service that runs.
type Outside struct {
	plan  plan
	url   string
	http  *http.Server
	ended chan struct{}
	conns sync.WaitGroup

	mu         sync.Mutex
	calls      []Call
	lookUps    []LookUp
	unexpected []Unexpected
	changed    chan struct{} // closed and replaced when a call is kept
}

// Start starts the service on a loopback port of its own.
func Start(s Service) (*Outside, error) {
	plan, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("outside service: %w", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the outside service: %w", err)
	}
	o := &Outside{plan: plan, url: "http://" + ln.Addr().String(), ended: make(chan struct{}), changed: make(chan struct{})}
	o.http = &http.Server{
		Handler: http.HandlerFunc(o.serve), ConnState: o.count,
		ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
	}
	go func() {
		defer close(o.ended)
		_ = o.http.Serve(ln) // http.ErrServerClosed, from Close
	}()
	return o, nil
}

// URL is where the service listens.
func (o *Outside) URL() string { return o.url }

// Close ends the service. What it kept can still be read.
func (o *Outside) Close() {
	o.http.Close()
	<-o.ended
	o.conns.Wait()
}

// count keeps the number of connections being served: http.Server.Close does not
// wait for them.
func (o *Outside) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		o.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		o.conns.Done()
	}
}

// serve acts whether or not the caller is still there, as a service does.
func (o *Outside) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler) // a request cut short is not a call
	}
	a := o.keep(request{
		method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), header: r.Header, body: body,
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// keep decides and keeps under one lock, so that two calls at once have an order
// and the later one is decided with the earlier one known.
func (o *Outside) keep(r request) answer {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.plan.answer(o.calls, r, time.Now())
	switch {
	case a.call != nil:
		o.calls = append(o.calls, *a.call)
	case a.lookUp != nil:
		o.lookUps = append(o.lookUps, *a.lookUp)
	default:
		o.unexpected = append(o.unexpected, *a.unexpected)
	}
	close(o.changed)
	o.changed = make(chan struct{})
	return a
}

// Wait waits until the calls are as asked for. It calls done outside the lock.
func (o *Outside) Wait(ctx context.Context, done func([]Call) bool) error {
	for {
		o.mu.Lock()
		calls, changed := slices.Clone(o.calls), o.changed
		o.mu.Unlock()
		if done(calls) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for calls to the outside service: %w; it has %d", context.Cause(ctx), len(calls))
		}
	}
}
