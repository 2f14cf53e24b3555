package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Quiet waits until the peers are done with this worker: every step that was let
// through has its reply read, and every connection that the proxy has closed has
// been ended by the peer too. Once the gate is shut, every step has its end in the
// record as well. Count after Quiet, never before. While the worker lives, Quiet
// waits for its long polls too.
func (g *Gate) Quiet(ctx context.Context) error {
	for {
		busy, changed := g.busy()
		if busy == "" {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait until the peers are quiet: %w; still in work: %s", context.Cause(ctx), busy)
		}
	}
}

// InFlight counts the matching steps that were forwarded and are not answered,
// such as waiting long polls.
func (g *Gate) InFlight(match func(Step) bool) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for x := range g.work {
		if x.sent && match(x.step) {
			n++
		}
	}
	return n
}

// busy names what is in work, and gives the channel that tells of a change.
func (g *Gate) busy() (string, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for x := range g.steps {
		if _, working := g.work[x]; !working && g.isShut() {
			names = append(names, "end of "+x.step.String())
		}
	}
	for x := range g.work {
		names = append(names, x.step.String())
	}
	for u := range g.peers {
		if u.carries == nil && isClosed(u.closing) {
			names = append(names, "closing "+u.RemoteAddr().String())
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", "), g.changed
}

// wake lets Quiet look again. Under the lock.
func (g *Gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}
