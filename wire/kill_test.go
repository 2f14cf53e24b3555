package wire_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// While Kill runs the worker still lives, and its other threads go on sending.
// None of that may reach the peer, on whatever connection it comes. All of the
// worker's own may be waiting for a reply, so the test sends on one more.
func TestNothingIsForwardedOnceKilled(t *testing.T) {
	for _, side := range []wire.Side{wire.Before, wire.After} {
		t.Run(side.String(), func(t *testing.T) {
			p, k := startPeer(t), newTape()
			g := wire.NewGate(k.record)
			addr := proxy(t, g, p)
			w, thread := wiretest.StartWorker(t, addr), call(t, addr)
			var atKill int
			a := g.Arm(wire.Fault{Match: verb("add"), Nth: 20, Side: side, Do: wire.Kill, Kill: func() {
				atKill = k.count(wire.Forwarded)
				askLater(thread, "add leak")
				if err := k.wait(t.Context(), wire.Refused, 1); err != nil {
					t.Error(err)
				}
				w.Kill()
			}})
			<-a.Fired()
			if err := g.Quiet(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !w.Dead() {
				t.Error("fired before the worker was dead")
			}
			if got := len(p.all()); got != atKill || k.count(wire.Forwarded) != atKill {
				t.Errorf("peer keeps %d, forwarded %d, want the %d of the kill", got, k.count(wire.Forwarded), atKill)
			}
			wantKilledStep(t, k, a.Step(), side)
			k.wantEnds(t)
		})
	}
}

func wantKilledStep(t *testing.T, k *tape, s wire.Step, side wire.Side) {
	t.Helper()
	want := []wire.Phase{wire.Request, wire.Killed}
	if side == wire.After {
		want = []wire.Phase{wire.Request, wire.Forwarded, wire.Reply, wire.Killed}
	}
	if s.Text != "add" || s.Nth < 20 || !slices.Equal(k.phases(s), want) {
		t.Errorf("killed at %s: %v, want #20, or as many later as the worker was quicker: %v", s, k.phases(s), want)
	}
}

// The control: the same worker at the same step, held and not killed. Its other
// threads do reach the peer, so the test above would have seen them.
func TestOtherThreadsAreForwardedWhileOneStepIsHeld(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	w := wiretest.StartWorker(t, proxy(t, g, p))
	a := g.Arm(wire.Fault{Match: verb("add"), Nth: 20, Do: wire.Hold})
	<-a.Fired()
	if err := k.wait(t.Context(), wire.Forwarded, k.count(wire.Forwarded)+20); err != nil {
		t.Fatal(err)
	}
	if got := k.phases(a.Step()); !slices.Equal(got, []wire.Phase{wire.Request, wire.Held}) {
		t.Errorf("the held step went on: %v", got)
	}
	w.Kill()
}

// The worker must not hear the reply at which it is killed, nor any later one.
func TestWorkerHearsOnlyWhatWasPassed(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	w := wiretest.StartWorker(t, proxy(t, g, p))
	a := g.Arm(wire.Fault{Match: verb("add"), Nth: 50, Side: wire.After, Do: wire.Kill, Kill: w.Kill})
	<-a.Fired()
	heard := strings.Count(w.Said.String(), "\n")
	if passed := k.count(wire.Passed); heard == 0 || heard > passed {
		t.Errorf("heard %d replies, passed %d", heard, passed)
	}
	if kept := len(p.all()); kept <= k.count(wire.Passed) {
		t.Errorf("peer keeps %d, want more than the %d passed", kept, k.count(wire.Passed))
	}
}

// Two kills at once: only one happens, whichever step comes first.
func TestSecondKillDoesNotFire(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	addr := proxy(t, g, p)
	w, thread := wiretest.StartWorker(t, addr), call(t, addr)
	kill := func() {
		askLater(thread, "add") // the other one's step, at the latest
		k.wait(t.Context(), wire.Refused, 1)
		w.Kill()
	}
	one := g.Arm(wire.Fault{Match: verb("add"), Nth: 20, Do: wire.Kill, Kill: kill})
	two := g.Arm(wire.Fault{Match: verb("add"), Nth: 21, Do: wire.Kill, Kill: kill})
	select {
	case <-one.Fired():
	case <-two.Fired():
	}
	if one.Disarm() == two.Disarm() || k.count(wire.Killed) != 1 {
		t.Errorf("both fired or none, %d kills", k.count(wire.Killed))
	}
}
