package outside

import (
	"context"
	"fmt"
)

// Armed is a fault that waits for its requests.
type Armed struct {
	book  *Book
	fault Fault
	at    stage

	// Under the book's lock.
	matched  int
	fired    int
	disarmed bool
	held     *held
}

// held are the requests that one Release or Drop lets go.
type held struct {
	over chan struct{}
	drop bool // written before over is closed
}

func newHeld() *held { return &held{over: make(chan struct{})} }

// Arm sets a fault. A request that meets several is struck by the one that was
// armed first; Lag and Forget all apply.
func (b *Book) Arm(f Fault) (*Armed, error) {
	f, p, err := f.complete(b.points)
	if err != nil {
		return nil, fmt.Errorf("arm a fault: %w", err)
	}
	if p.at == atRecipient && (f.Reference != "" || f.Operation != "" && !b.early) {
		return nil, fmt.Errorf("arm a fault: %s: a mail's operation and reference are not known yet when its recipients are named", f.Kind)
	}
	a := &Armed{book: b, fault: f, at: p.at, held: newHeld()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = append(b.armed, a)
	return a, nil
}

// Fired counts the requests that the fault has struck. A request that waits is
// counted when it begins to.
func (a *Armed) Fired() int {
	a.book.mu.Lock()
	defer a.book.mu.Unlock()
	return a.fired
}

// Wait waits until the fault has struck n requests.
func (a *Armed) Wait(ctx context.Context, n int) error {
	return a.book.await(ctx, func() func() error {
		fired := a.fired
		return func() error {
			if fired >= n {
				return nil
			}
			return fmt.Errorf("wait for the fault %s: it has fired %d times of %d", a.fault.Kind, fired, n)
		}
	})
}

// Release lets go on what waits now.
func (a *Armed) Release() { a.end(false) }

// Drop cuts the connections of what waits now.
func (a *Armed) Drop() { a.end(true) }

func (a *Armed) end(drop bool) {
	a.book.mu.Lock()
	defer a.book.mu.Unlock()
	a.held.drop = drop
	close(a.held.over)
	a.held = newHeld()
}

// Disarm takes the fault away and says how often it has fired. What waits goes on
// waiting for Release or Drop.
func (a *Armed) Disarm() (fired int) {
	a.book.mu.Lock()
	defer a.book.mu.Unlock()
	a.disarmed = true
	return a.fired
}

// meets counts the request when it matches, and says whether it is its turn.
// Under the book's lock.
func (a *Armed) meets(h heard) bool {
	f := a.fault
	if a.disarmed || a.at&h.at == 0 ||
		f.Operation != "" && f.Operation != h.operation || f.Reference != "" && f.Reference != h.reference {
		return false
	}
	a.matched++
	return f.Nth == 0 || a.matched == f.Nth
}
