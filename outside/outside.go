package outside

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxBody bounds what is kept of one call.
const maxBody = 16 << 20

// Outside is an HTTP service that runs.
type Outside struct {
	*Book
	door  *door
	plan  plan
	http  *http.Server
	conns sync.WaitGroup
	once  sync.Once
}

// Start starts the service on a loopback port of its own.
func Start(s Service) (*Outside, error) {
	plan, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("outside service: %w", err)
	}
	o := &Outside{Book: newBook(plan.points()), plan: plan}
	o.http = &http.Server{
		Handler: http.HandlerFunc(o.handle), ConnState: o.count,
		ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
	}
	o.door, err = openDoor(func(ln net.Listener) { _ = o.http.Serve(ln) }) // an error each time: the listener was closed
	if err != nil {
		return nil, fmt.Errorf("listen for the outside service: %w", err)
	}
	return o, nil
}

// URL is where the service listens.
func (o *Outside) URL() string { return "http://" + o.door.addr.String() }

// Down shuts the port: connections end, and a connect is refused until Up. It has
// seen a connect of its own refused before it returns. A request that was read
// whole goes on.
func (o *Outside) Down() error { return o.door.down() }

// Up opens the same port again.
func (o *Outside) Up() error { return o.door.up() }

// Close ends the service. What waits is dropped. What was kept can still be read.
func (o *Outside) Close() {
	o.once.Do(func() {
		o.door.close()
		close(o.closed)
		o.http.Close()
	})
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

// handle acts whether or not the caller is still there, as a service does.
func (o *Outside) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler) // a request cut short is not a call
	}
	q := request{
		method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), header: r.Header, body: body,
	}
	h := o.plan.hear(q)
	a := o.Book.serve(h, r.Context().Done(), func(m moment) answer { return o.plan.answer(m, h, q) })
	if a.then == drop {
		panic(http.ErrAbortHandler) // net/http's way to close a connection without a byte
	}
	kind := "application/json"
	if bytes.HasPrefix(a.body, []byte("<")) {
		kind = "text/html"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(a.status)
	w.Write(a.body)
}
