package wire_test

import (
	"errors"
	"net"
	"slices"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// Dropped is one connection, not the worker: the next one is served.
func TestDrop(t *testing.T) {
	kept := map[wire.Side][]string{wire.Before: {"next"}, wire.After: {"x", "next"}}
	for side, want := range kept {
		p, k := startPeer(t), newTape()
		g := wire.NewGate(k.record)
		addr := proxy(t, g, p)
		a := g.Arm(wire.Fault{Match: verb("add"), Side: side, Do: wire.Drop})
		if _, err := call(t, addr).ask("add x"); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: heard %v, want a reset", side, err)
		}
		<-a.Fired()
		if _, err := call(t, addr).ask("add next"); err != nil {
			t.Errorf("%s: next connection: %v", side, err)
		}
		if got := p.all(); !slices.Equal(got, want) {
			t.Errorf("%s: kept %v, want %v", side, got, want)
		}
		k.wantEnds(t)
	}
}

// Steps are numbered over all connections until Reset; a fault counts from its
// arming, and Reset leaves its count alone.
func TestNumbers(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	addr := proxy(t, g, p)
	one, two := call(t, addr), call(t, addr)
	one.ask("add a")
	two.ask("add b")
	a := g.Arm(wire.Fault{Match: verb("add"), Nth: 2, Do: wire.Drop})
	one.ask("add c")
	g.Reset()
	if _, err := two.ask("add d"); err == nil {
		t.Error("the second step since arming was not dropped")
	}
	<-a.Fired()
	var got []wire.Step
	for _, e := range k.all() {
		if e.Phase == wire.Request {
			got = append(got, e.Step)
		}
	}
	want := []wire.Step{step("add", 1), step("add", 2), step("add", 3), step("add", 1)}
	if !slices.Equal(got, want) || a.Step() != step("add", 1) {
		t.Errorf("steps %v, fired at %s", got, a.Step())
	}
}

func TestDisarm(t *testing.T) {
	p := startPeer(t)
	g := wire.NewGate(nil)
	c := call(t, proxy(t, g, p))
	early := g.Arm(wire.Fault{Match: verb("add"), Do: wire.Drop})
	if early.Disarm() {
		t.Error("fired without a step")
	}
	onItsWay := g.Arm(wire.Fault{Match: verb("slow"), Side: wire.After, Do: wire.Drop})
	heard := askLater(c, "slow x")
	<-p.began
	if onItsWay.Disarm() {
		t.Error("fired before its side was reached")
	}
	close(p.goOn)
	if err := <-heard; err != nil {
		t.Error(err)
	}
	control := g.Arm(wire.Fault{Match: verb("add"), Do: wire.Drop})
	if _, err := c.ask("add y"); err == nil {
		t.Error("an armed fault did not fire")
	}
	if !control.Disarm() {
		t.Error("disarm does not say that it fired")
	}
}

// A peer that goes without a reply gives no reply: nothing is made up.
func TestPeerThatGoes(t *testing.T) {
	p, k := &peer{}, newTape()
	p.addr = listen(t, func(conn net.Conn) { conn.Read(make([]byte, 100)) })
	c := call(t, proxy(t, wire.NewGate(k.record), p))
	if _, err := c.ask("add x"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("heard %v, want a reset", err)
	}
	k.wantEnds(t)
	if k.count(wire.Lost) != 1 {
		t.Errorf("events %v", k.all())
	}
}
