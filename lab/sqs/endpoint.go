package sqs

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Endpoint is a running SQS endpoint. One lock guards everything; the pure
// code is only ever called under it.
type Endpoint struct {
	clock   *Clock
	url     string
	server  *http.Server
	alarm   *time.Timer
	done    chan struct{} // closed by Close
	running sync.WaitGroup

	mu      sync.Mutex
	account *account
	polls   map[*queue][]*poll
	changed chan struct{} // closed and replaced at every step
	closed  bool
	via     map[string]string // by client
}

// Start makes an endpoint that listens on 127.0.0.1, on a port of the system's
// choice.
func Start() (*Endpoint, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := New()
	e.url = "http://" + listener.Addr().String()
	e.running.Go(func() { _ = e.server.Serve(listener) }) // always ErrServerClosed: Close ended it
	return e, nil
}

// New makes an endpoint that does not listen: its caller hands each request to
// ServeHTTP. For a test in testing/synctest, whose clock stands still while anything
// waits for a network.
func New() *Endpoint {
	e := &Endpoint{
		clock: &Clock{}, url: "http://sqs.invalid", alarm: time.NewTimer(time.Hour), done: make(chan struct{}),
		account: newAccount(), polls: map[*queue][]*poll{}, via: map[string]string{}, changed: make(chan struct{}),
	}
	e.server = &http.Server{Handler: e, ConnState: e.count, ReadHeaderTimeout: time.Minute}
	e.running.Go(e.watch)
	return e
}

// count keeps Close waiting for the goroutine of every connection.
func (e *Endpoint) count(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		e.running.Add(1)
	case http.StateClosed, http.StateHijacked:
		e.running.Done()
	}
}

// URL is where the endpoint listens.
func (e *Endpoint) URL() string { return e.url }

// Via says by which URL a client comes that goes through a proxy: that of a queue starts with
// it, since some clients send what is for a queue there.
func (e *Endpoint) Via(client, url string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.via[client] = url
}

func (e *Endpoint) queueURL(client, name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.via[client], e.URL()) + "/" + accountID + "/" + name
}

// Clock is the endpoint's clock.
func (e *Endpoint) Clock() *Clock { return e.clock }

// Close ends the long polls, closes the listener and every connection, and
// returns when no goroutine of the endpoint is left.
func (e *Endpoint) Close() error {
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.done)
	}
	e.mu.Unlock()
	err := e.server.Close()
	e.running.Wait()
	e.alarm.Stop()
	return err
}

// Advance makes the clock jump. Timeouts that are over by then are over, and
// long polls wake, before it returns.
func (e *Endpoint) Advance(d time.Duration) {
	e.step(func(time.Time) time.Time {
		e.clock.advance(d)
		return e.clock.Now()
	})
}

// do runs one step: f under the lock at one moment, then everything that
// follows from it.
func (e *Endpoint) do(f func(now time.Time)) {
	e.step(func(now time.Time) time.Time { f(now); return now })
}

func (e *Endpoint) step(f func(now time.Time) time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := f(e.clock.Now())
	e.account.sweep(now)
	e.serveAll(now)
	e.account.sweep(now) // a receive with a timeout of 0 is over at once
	e.setAlarm(now)
	close(e.changed)
	e.changed = make(chan struct{})
}

// setAlarm wakes the watch when the next timeout ends by the real clock. The
// zero timeout is not lost: a timer set to the past rings at once.
func (e *Endpoint) setAlarm(now time.Time) {
	if at, ok := e.account.wake(); ok {
		e.alarm.Reset(at.Sub(now))
	}
}

// watch takes a step whenever the alarm rings.
func (e *Endpoint) watch() {
	for {
		select {
		case <-e.alarm.C:
			e.do(func(time.Time) {})
		case <-e.done:
			return
		}
	}
}

// Wait blocks until ok says yes of the queue's state. It looks again after
// every event, clock jump and end of a timeout, and ends with ctx or the
// endpoint.
func (e *Endpoint) Wait(ctx context.Context, queue string, ok func(Snapshot) bool) error {
	for {
		snapshot, changed, err := e.look(queue)
		if err != nil {
			return err
		}
		if ok(snapshot) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-e.done:
			return net.ErrClosed
		}
	}
}

func (e *Endpoint) look(name string) (Snapshot, <-chan struct{}, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q, err := e.account.find(name)
	if err != nil {
		return Snapshot{}, nil, err
	}
	e.account.sweep(e.clock.Now())
	events := q.events[:len(q.events):len(q.events)] // only ever appended to: no copy needed
	polls := map[string]int{}
	for _, p := range e.polls[q] {
		polls[p.client]++
	}
	return Snapshot{e.account.counts(q), len(e.polls[q]), polls, events}, e.changed, nil
}
