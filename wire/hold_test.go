package wire_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// A held request whose client has gone stays where it is. When the gate shuts
// it is refused; only Release, the control, lets it go late.
func TestHeldRequestOfAClientThatHasGone(t *testing.T) {
	for _, released := range []bool{false, true} {
		p, k := startPeer(t), newTape()
		g := wire.NewGate(k.record)
		a := g.Arm(wire.Fault{Match: verb("add"), Do: wire.Hold})
		c := call(t, proxy(t, g, p))
		heard := askLater(c, "add late")
		<-a.Fired()
		c.Close()
		<-heard
		end, want := wire.Refused, []string{}
		if released {
			a.Release()
			end, want = wire.Forwarded, []string{"late"}
			if err := k.wait(t.Context(), wire.Reply, 1); err != nil {
				t.Fatal(err)
			}
		}
		g.Shut()
		if err := k.wait(t.Context(), end, 1); err != nil {
			t.Fatal(err)
		}
		if err := g.Quiet(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := p.all(); !slices.Equal(got, want) {
			t.Errorf("released %v: kept %v, want %v", released, got, want)
		}
	}
}

// A reply that is held has been given: the peer is done with it, and is quiet.
func TestHeldReply(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	a := g.Arm(wire.Fault{Match: verb("add"), Side: wire.After, Do: wire.Hold})
	heard := askLater(call(t, proxy(t, g, p)), "add x")
	<-a.Fired()
	if err := g.Quiet(t.Context()); err != nil || len(p.all()) != 1 || k.count(wire.Passed) != 0 {
		t.Errorf("quiet %v, kept %v, passed %d", err, p.all(), k.count(wire.Passed))
	}
	a.Release()
	a.Release() // again is allowed
	if err := <-heard; err != nil {
		t.Error(err)
	}
	want := []wire.Phase{wire.Request, wire.Forwarded, wire.Reply, wire.Held, wire.Passed}
	if got := k.phases(a.Step()); !slices.Equal(got, want) {
		t.Errorf("phases %v, want %v", got, want)
	}
}

// A held reply is not passed once the gate has shut, released or not.
func TestShutWhileAReplyIsHeld(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	a := g.Arm(wire.Fault{Match: verb("add"), Side: wire.After, Do: wire.Hold})
	heard := askLater(call(t, proxy(t, g, p)), "add x")
	<-a.Fired()
	g.Shut()
	a.Release()
	if err := <-heard; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("heard %v, want a reset", err)
	}
	if err := k.wait(t.Context(), wire.Lost, 1); err != nil {
		t.Fatal(err)
	}
	k.wantEnds(t)
}

// Faults that meet at one step strike in the order of arming.
func TestHoldThenKillAtOneStep(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	hold := g.Arm(wire.Fault{Match: verb("add"), Do: wire.Hold})
	kill := g.Arm(wire.Fault{Match: verb("add"), Do: wire.Kill})
	heard := askLater(call(t, proxy(t, g, p)), "add x")
	<-hold.Fired()
	if isFired(kill) {
		t.Error("killed while held")
	}
	hold.Release()
	<-kill.Fired()
	<-heard
	if got := k.phases(kill.Step()); !slices.Equal(got, []wire.Phase{wire.Request, wire.Held, wire.Killed}) {
		t.Errorf("phases %v", got)
	}
}

func isFired(a *wire.Armed) bool {
	select {
	case <-a.Fired():
		return true
	default:
		return false
	}
}
