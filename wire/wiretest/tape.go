package wiretest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/wire"
)

// patience bounds a wait on a loaded machine.
const patience = time.Minute

// Tape keeps a gate's events and can be waited for.
type Tape struct {
	mu      sync.Mutex
	events  []wire.Event
	unread  []string
	changed chan struct{}
}

// NewTape is an empty one.
func NewTape() *Tape { return &Tape{changed: make(chan struct{})} }

// Record is what a gate records by.
func (k *Tape) Record(e wire.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
	if e.Phase == wire.Unreadable {
		k.unread = append(k.unread, e.Status)
	}
	close(k.changed)
	k.changed = make(chan struct{})
}

// Wait waits for the phase of the step with this text.
func (k *Tape) Wait(t testing.TB, text string, p wire.Phase) {
	t.Helper()
	limit := time.After(patience)
	for {
		k.mu.Lock()
		changed := k.changed
		seen := slices.ContainsFunc(k.events, func(e wire.Event) bool { return e.Step.Text == text && e.Phase == p })
		k.mu.Unlock()
		if seen {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("no %s of %s in %q", p, text, k.Steps())
		}
	}
}

// Events are those since the last call of Steps.
func (k *Tape) Events() []wire.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.events)
}

// Count is how many of them have the phase.
func (k *Tape) Count(p wire.Phase) (n int) {
	for _, e := range k.Events() {
		if e.Phase == p {
			n++
		}
	}
	return n
}

// Steps are those that have ended since the last call, each with its end: "text [end: status]".
// They stand where they were answered or, without an answer, forwarded: the end of such a one
// may be seen after what the peer says next.
func (k *Tape) Steps() (steps []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	texts, at := map[int]string{}, map[wire.Step]int{}
	for i, e := range k.events {
		end := string(e.Phase) + ": " + e.Status
		switch e.Phase {
		case wire.Passed:
			end = e.Status
		case wire.Killed, wire.Dropped, wire.Refused, wire.Lost:
		default:
			at[e.Step] = i
			continue
		}
		if before, known := at[e.Step]; known {
			i = before
		}
		delete(at, e.Step)
		texts[i] = fmt.Sprintf("%s [%s]", e.Step.Text, end)
	}
	k.events = nil
	for _, i := range slices.Sorted(maps.Keys(texts)) {
		steps = append(steps, texts[i])
	}
	return steps
}

// Unreadable is why connections were ended by a proxy.
func (k *Tape) Unreadable() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.unread)
}

// Want compares Steps.
func (k *Tape) Want(t testing.TB, want ...string) {
	t.Helper()
	if got := k.Steps(); !slices.Equal(got, want) {
		t.Errorf("steps\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// Fires waits for a fault: one that does not fire shows nothing.
func Fires(t testing.TB, f *wire.Armed) {
	t.Helper()
	select {
	case <-f.Fired():
	case <-time.After(patience):
		t.Fatal("the fault did not fire")
	}
}
