package httpwire_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// A worker killed at its third charge: before, the service has two; after, it
// has three and the worker has heard of two. Its long poll ends with it.
func TestKill(t *testing.T) {
	const charge = "POST /charges"
	served := map[wire.Side]int{wire.Before: 2, wire.After: 3}
	for side, want := range served {
		u := startUpstream(t)
		p, g, k := start(t, u.URL)
		var w *wiretest.Worker
		a := g.Arm(wire.Fault{Match: text(charge), Nth: 3, Side: side, Do: wire.Kill, Kill: func() { w.Kill() }})
		hold := g.Arm(wire.Fault{Match: text(charge), Do: wire.Hold})
		w = wiretest.StartWorker(t, p.URL())
		<-u.began // the poll waits
		hold.Release()
		<-a.Fired()
		if err := g.Quiet(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := u.count(charge); got != want {
			t.Errorf("%s: %d charges, want %d", side, got, want)
		}
		if got := strings.Count(w.Said.String(), "true <nil>"); got != 2 {
			t.Errorf("%s: heard %d replies, want 2: %s", side, got, w.Said)
		}
		if k.count("GET /poll", wire.Lost) != 1 || u.count("GET /poll") != 1 {
			t.Errorf("%s: the long poll did not end", side)
		}
	}
}

// Quiet waits for a request that the server serves to its end although the gate
// has shut.
func TestQuietWaitsForTheServer(t *testing.T) {
	u := startUpstream(t)
	p, g, _ := start(t, u.URL)
	heard := get(client(), p.URL()+"/slow")
	<-u.began
	g.Shut()
	if err := <-heard; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("heard %v, want a reset", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Quiet(over); err == nil || g.InFlight(text("GET /slow")) != 1 {
		t.Error("quiet while the server works")
	}
	close(u.goOn)
	if err := g.Quiet(t.Context()); err != nil || u.count("GET /slow") != 1 {
		t.Errorf("quiet %v, served %d", err, u.count("GET /slow"))
	}
}
