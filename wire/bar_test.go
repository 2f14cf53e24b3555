package wire_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// pair is a proxied connection without a proxy: the test is the proxy, so that it
// can be overtaken by a kill between any two of its calls.
type pair struct {
	client *wire.Client
	up     *wire.Upstream
	peer   net.Conn // the peer's end of up
}

func newPair(t *testing.T, g *wire.Gate) *pair {
	t.Cleanup(g.Close)
	_, mine := connect(t)
	peer, up := connect(t)
	return &pair{g.Client(mine), g.Upstream(up), peer}
}

// connect gives both ends of a TCP connection.
func connect(t *testing.T) (a, b net.Conn) {
	accepted := make(chan net.Conn, 1)
	addr := listen(t, func(conn net.Conn) { accepted <- conn; <-t.Context().Done() })
	dialled, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialled.Close() })
	return <-accepted, dialled
}

func (p *pair) enter(t *testing.T, g *wire.Gate, text string) *wire.Crossing {
	x, err := g.Enter(p.client, "line", "peer", text)
	if err != nil {
		t.Fatal(err)
	}
	x.Through(p.up)
	return x
}

// The kill comes after a step was let through and before its first byte: the
// byte stays here, and the step is refused, not forwarded.
func TestKillOvertakesARequest(t *testing.T) {
	k := newTape()
	g := wire.NewGate(k.record)
	late, killed := newPair(t, g), newPair(t, g)
	x := late.enter(t, g, "late")
	var wrote error
	g.Arm(wire.Fault{Match: verb("kill"), Do: wire.Kill, Kill: func() { _, wrote = late.up.Write([]byte("x")) }})
	if _, err := g.Enter(killed.client, "line", "peer", "kill"); !errors.Is(err, wire.ErrShut) || !errors.Is(wrote, wire.ErrShut) {
		t.Errorf("entered %v, wrote %v", err, wrote)
	}
	if n, err := late.peer.Read(make([]byte, 1)); n != 0 {
		t.Errorf("the peer got a byte: %v", err)
	}
	late.peer.Close()
	killed.peer.Close()
	x.Lost("write failed")
	if got := k.phases(x.Step()); !slices.Equal(got, []wire.Phase{wire.Request, wire.Refused}) {
		t.Errorf("phases %v", got)
	}
}

// The control: without the kill the byte arrives.
func TestRequestIsNotOvertaken(t *testing.T) {
	k := newTape()
	g := wire.NewGate(k.record)
	p := newPair(t, g)
	x := p.enter(t, g, "early")
	if _, err := p.up.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if n, err := p.peer.Read(make([]byte, 1)); n != 1 {
		t.Error(err)
	}
	if got := k.phases(x.Step()); !slices.Equal(got, []wire.Phase{wire.Request, wire.Forwarded}) {
		t.Errorf("phases %v", got)
	}
	x.Reply("ok")
}

// A reply that is read whole while Kill runs is not passed on, and neither is
// one that was let through just before.
func TestKillOvertakesAReply(t *testing.T) {
	k := newTape()
	g := wire.NewGate(k.record)
	before, during, killed := newPair(t, g), newPair(t, g), newPair(t, g)
	x, y := before.enter(t, g, "before"), during.enter(t, g, "during")
	before.up.Write([]byte("x"))
	during.up.Write([]byte("y"))
	if err := x.Reply("ok"); err != nil {
		t.Fatal(err)
	}
	replied := make(chan error, 1)
	g.Arm(wire.Fault{Match: verb("kill"), Do: wire.Kill, Kill: func() {
		if _, err := before.client.Write([]byte("x")); !errors.Is(err, wire.ErrShut) {
			t.Errorf("wrote %v", err)
		}
		go func() { replied <- y.Reply("ok") }()
		k.wait(t.Context(), wire.Reply, 2)
	}})
	g.Enter(killed.client, "line", "peer", "kill")
	if err := <-replied; !errors.Is(err, wire.ErrShut) {
		t.Errorf("replied %v", err)
	}
	if k.count(wire.Passed) != 0 || k.count(wire.Lost) != 2 {
		t.Errorf("events %v", k.all())
	}
}

// A thread that still runs while Kill does must not see its connection go: it
// would act on that, in files that no proxy sees.
func TestRefusedThreadHearsNothingUntilTheWorkerIsDead(t *testing.T) {
	k := newTape()
	g := wire.NewGate(k.record)
	other, killed := newPair(t, g), newPair(t, g)
	var dead atomic.Bool
	heard := make(chan bool, 1)
	g.Arm(wire.Fault{Match: verb("kill"), Do: wire.Kill, Kill: func() {
		go func() {
			g.Enter(other.client, "line", "peer", "other")
			heard <- dead.Load()
		}()
		k.wait(t.Context(), wire.Refused, 1)
		for range 1000 {
			runtime.Gosched() // gives a thread that does not wait the time to show it
		}
		dead.Store(true)
	}})
	g.Enter(killed.client, "line", "peer", "kill")
	if !<-heard {
		t.Error("heard before the worker was dead")
	}
}

// Kill is called only when the last write that was let through has left.
func TestKillWaitsForAWriteOnItsWay(t *testing.T) {
	k := newTape()
	g := wire.NewGate(k.record)
	killed := newPair(t, g)
	slow := &slowConn{Conn: killed.peer, began: make(chan struct{}), goOn: make(chan struct{})}
	up := g.Upstream(slow)
	go up.Write([]byte("x"))
	<-slow.began
	a := g.Arm(wire.Fault{Match: verb("kill"), Do: wire.Kill, Kill: func() {
		if !slow.left.Load() {
			t.Error("killed while bytes leave")
		}
	}})
	go g.Enter(killed.client, "line", "peer", "kill")
	k.wait(t.Context(), wire.Killed, 1)
	for range 1000 {
		runtime.Gosched()
	}
	close(slow.goOn)
	<-a.Fired()
}

type slowConn struct {
	net.Conn
	began, goOn chan struct{}
	left        atomic.Bool
}

func (c *slowConn) Write(p []byte) (int, error) {
	close(c.began)
	<-c.goOn
	c.left.Store(true)
	return len(p), nil
}

// A connection without a step may still be work for the peer, such as a
// transaction to roll back: Quiet waits for the peer's own end of it.
func TestQuietWaitsForThePeerToEndAnIdleConnection(t *testing.T) {
	g := wire.NewGate(nil)
	p := newPair(t, g)
	if err := g.Quiet(t.Context()); err != nil {
		t.Errorf("an open idle connection: %v", err)
	}
	g.Shut()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Quiet(over); err == nil || !strings.Contains(err.Error(), "closing 127.0.0.1:") {
		t.Errorf("quiet before the peer's end: %v", err)
	}
	p.peer.Close()
	if err := g.Quiet(t.Context()); err != nil {
		t.Error(err)
	}
}

// Quiet on a shut gate waits until the record is whole: here a reply was let
// through, and nobody has said yet what became of it.
func TestQuietWaitsForTheEndOfEveryStep(t *testing.T) {
	k := newTape()
	g := wire.NewGate(k.record)
	p := newPair(t, g)
	x := p.enter(t, g, "add")
	if _, err := p.up.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := x.Reply("ok"); err != nil {
		t.Fatal(err)
	}
	g.Shut()
	p.peer.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Quiet(over); err == nil || !strings.Contains(err.Error(), "end of peer add #1") {
		t.Errorf("quiet with a step that has no end: %v", err)
	}
	p.client.Close()
	if err := g.Quiet(t.Context()); err != nil || k.count(wire.Lost) != 1 {
		t.Errorf("quiet %v, events %v", err, k.all())
	}
}
