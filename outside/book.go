package outside

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Book is what a stand-in keeps, with its faults and its clock. It is the same
// for HTTP and mail.
type Book struct {
	points map[Kind]point
	early  bool // the operation is known when a mail's first recipient is
	closed chan struct{}

	mu         sync.Mutex
	ahead      time.Duration
	calls      []Call
	lookUps    []LookUp
	refused    []Refused
	unexpected []Unexpected
	armed      []*Armed
	changed    chan struct{} // closed and replaced when something is kept
}

func newBook(points map[Kind]point) *Book {
	return &Book{points: points, closed: make(chan struct{}), changed: make(chan struct{})}
}

// Advance lets time pass for the service.
func (b *Book) Advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ahead += max(d, 0)
}

// Now is the time by the service's clock.
func (b *Book) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now()
}

func (b *Book) now() time.Time { return time.Now().Add(b.ahead) }

// heard is what a request has been understood as, before anything is decided. The
// zero value is none of the service's.
type heard struct {
	at                   stage
	reference, operation string
}

// moment is what an answer is decided from.
type moment struct {
	calls []Call // all so far
	known []Call // those that a fault does not hide
	fault Fault  // the one that strikes, or none
	now   time.Time
}

// serve takes one request through. decide is pure. An answer that is to be
// delayed is given when it is due; gone ends that wait, not the one before acting.
func (b *Book) serve(h heard, gone <-chan struct{}, decide func(moment) answer) answer {
	a, held, after := b.meet(h, decide)
	if a.then == hold {
		var f Fault
		if !b.goesOn(held, after, nil) {
			f.Kind = DropBeforeAct
		}
		a = b.goOn(f, decide)
	}
	if a.then == late {
		a.then = reply
		if !b.goesOn(held, after, gone) {
			a.then = drop
		}
	}
	return a
}

// meet decides with the faults and keeps, under one lock, so that two requests at
// once have an order and the later one is decided with the earlier one known.
func (b *Book) meet(h heard, decide func(moment) answer) (a answer, w *held, after time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := moment{calls: b.calls, known: b.calls, now: b.now()}
	if h.at == atLookUp {
		h.operation = operationOf(b.calls, h.reference)
	}
	for _, x := range b.armed {
		switch {
		case w != nil && !x.fault.hides():
			x.meets(h) // counts it
		case !x.meets(h):
		case !x.fault.hides():
			x.fired++
			m.fault, w, after = x.fault, x.held, x.fault.After
		default:
			var hidden bool
			if m.known, hidden = x.fault.hide(m.known, h.reference, m.now); hidden {
				x.fired++
			}
		}
	}
	return b.decide(m, decide), w, after
}

// goOn decides on a request that was held. It has met its faults already.
func (b *Book) goOn(f Fault, decide func(moment) answer) answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := moment{calls: b.calls, known: b.calls, fault: f, now: b.now()}
	return b.decide(m, func(m moment) answer {
		a := decide(m)
		if a.call != nil {
			a.call.Fault = Hold
		}
		return a
	})
}

func (b *Book) decide(m moment, healthy func(moment) answer) answer {
	a := m.fault.spoil(healthy(m))
	b.keep(a)
	return a
}

// keep keeps what was decided. Under the lock.
func (b *Book) keep(a answer) {
	switch {
	case a.call != nil:
		b.calls = append(b.calls, *a.call)
	case a.lookUp != nil:
		b.lookUps = append(b.lookUps, *a.lookUp)
	case a.refused != nil:
		b.refused = append(b.refused, *a.refused)
	case a.unexpected != nil:
		b.unexpected = append(b.unexpected, *a.unexpected)
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// goesOn waits for a release. It says no after a drop, when the client has gone,
// and when the service ends.
func (b *Book) goesOn(w *held, after time.Duration, gone <-chan struct{}) bool {
	var alarm <-chan time.Time
	if after > 0 {
		timer := time.NewTimer(after)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-w.over:
		return !w.drop
	case <-alarm:
		return true
	case <-gone:
	case <-b.closed:
	}
	return false
}

// Wait waits until the calls are as asked for. It calls done outside the lock.
func (b *Book) Wait(ctx context.Context, done func([]Call) bool) error {
	return b.await(ctx, func() func() error {
		calls := slices.Clone(b.calls)
		return func() error {
			if done(calls) {
				return nil
			}
			return fmt.Errorf("wait for calls to the outside service: it has %d", len(calls))
		}
	})
}

// await looks again whenever something is kept. look is called under the lock, and
// what it returns outside of it; that gives nil when there is nothing to wait for.
func (b *Book) await(ctx context.Context, look func() func() error) error {
	for {
		b.mu.Lock()
		missing, changed := look(), b.changed
		b.mu.Unlock()
		err := missing()
		if err == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", err, context.Cause(ctx))
		}
	}
}
