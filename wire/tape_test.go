package wire_test

import (
	"context"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// tape keeps a gate's events and can be waited for.
type tape struct {
	mu      sync.Mutex
	events  []wire.Event
	changed chan struct{}
}

func newTape() *tape { return &tape{changed: make(chan struct{})} }

func (k *tape) record(e wire.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
	close(k.changed)
	k.changed = make(chan struct{})
}

func (k *tape) all() []wire.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]wire.Event{}, k.events...)
}

func (k *tape) count(p wire.Phase) (n int) {
	for _, e := range k.all() {
		if e.Phase == p {
			n++
		}
	}
	return n
}

// wait waits until there are n events of the phase.
func (k *tape) wait(ctx context.Context, p wire.Phase, n int) error {
	for {
		k.mu.Lock()
		changed := k.changed
		k.mu.Unlock()
		if k.count(p) >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// phases gives the phases of one step, in order.
func (k *tape) phases(s wire.Step) (all []wire.Phase) {
	for _, e := range k.all() {
		if e.Step == s {
			all = append(all, e.Phase)
		}
	}
	return all
}

// wantEnds fails unless every step has ended, and only once.
func (k *tape) wantEnds(t *testing.T) {
	t.Helper()
	ends := map[wire.Step]int{}
	for _, e := range k.all() {
		switch e.Phase {
		case wire.Request:
			ends[e.Step] += 0
		case wire.Passed, wire.Killed, wire.Dropped, wire.Refused, wire.Lost:
			ends[e.Step]++
		}
	}
	for s, n := range ends {
		if n != 1 {
			t.Errorf("%s has %d ends, want 1: %v", s, n, k.phases(s))
		}
	}
}

func verb(v string) func(wire.Step) bool {
	return func(s wire.Step) bool { return s.Text == v }
}

func step(v string, nth int) wire.Step {
	return wire.Step{Protocol: "line", Peer: "peer", Text: v, Nth: nth}
}
