package wire_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// A request that was forwarded before the gate shut is served, and its reply is
// not passed on. Quiet tells when the peer is done.
func TestShutWhileThePeerWorks(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	c := call(t, proxy(t, g, p))
	heard := askLater(c, "slow x")
	<-p.began
	g.Shut()
	if err := <-heard; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("client heard %v, want a reset", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Quiet(over); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "peer slow #1") {
		t.Errorf("quiet while the peer works: %v", err)
	}
	if n := g.InFlight(verb("slow")); n != 1 || len(p.all()) != 0 {
		t.Errorf("in flight %d, kept %v before the peer went on", n, p.all())
	}
	close(p.goOn)
	if err := g.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := p.all(); !slices.Equal(got, []string{"x"}) || g.InFlight(verb("slow")) != 0 {
		t.Errorf("kept %v, in flight %d", got, g.InFlight(verb("slow")))
	}
	if got := k.phases(step("slow", 1)); !slices.Equal(got, []wire.Phase{wire.Request, wire.Forwarded, wire.Lost}) {
		t.Errorf("phases %v", got)
	}
}

// The control: with the gate open the same reply is passed on.
func TestReplyIsPassedWhileTheGateIsOpen(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	c := call(t, proxy(t, g, p))
	heard := askLater(c, "slow x")
	<-p.began
	close(p.goOn)
	if err := <-heard; err != nil || k.count(wire.Passed) != 1 {
		t.Errorf("heard %v, passed %d", err, k.count(wire.Passed))
	}
}

// A dead worker's long poll ends at the peer, or it takes the next message.
func TestShutEndsALongPoll(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	heard := askLater(call(t, proxy(t, g, p)), "poll")
	<-p.began
	if n := g.InFlight(verb("poll")); n != 1 {
		t.Errorf("in flight %d, want the poll", n)
	}
	g.Shut()
	<-heard
	if err := g.Quiet(t.Context()); err != nil { // the peer's poll has ended, or this would not
		t.Fatal(err)
	}
	k.wantEnds(t)
}

func TestShutGateRefuses(t *testing.T) {
	p, k := startPeer(t), newTape()
	g := wire.NewGate(k.record)
	addr := proxy(t, g, p)
	if _, err := call(t, addr).ask("add open"); err != nil {
		t.Fatal(err)
	}
	g.Shut()
	g.Shut() // again is allowed
	if _, err := call(t, addr).ask("add shut"); err == nil {
		t.Error("a shut gate answered")
	}
	if err := k.wait(t.Context(), wire.Refused, 1); err != nil {
		t.Fatal(err)
	}
	if got := p.all(); !slices.Equal(got, []string{"open"}) {
		t.Errorf("kept %v", got)
	}
	k.wantEnds(t)
}

// A peer that never ends is a finding; Close still leaves nothing behind.
func TestCloseResetsWhatThePeerDoesNotEnd(t *testing.T) {
	p := startPeer(t)
	g := wire.NewGate(nil)
	heard := askLater(call(t, proxy(t, g, p)), "slow x")
	<-p.began
	g.Close()
	<-heard
	if err := g.Quiet(t.Context()); err != nil {
		t.Error(err)
	}
	close(p.goOn)
}

// askLater asks and gives the error, if any, once the connection has one.
func askLater(c *caller, line string) <-chan error {
	heard := make(chan error, 1)
	go func() {
		_, err := c.ask(line)
		heard <- err
	}()
	return heard
}
