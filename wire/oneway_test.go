package wire_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// oneway is a proxy of a protocol in which nothing is answered: each line of the worker is
// told, and each line of the peer is given.
type oneway struct {
	*wire.Gate
	*tape
	worker *caller
	peer   *caller // the peer's side of its connection
}

func startOneway(t *testing.T) *oneway {
	o := &oneway{tape: newTape()}
	o.Gate = wire.NewGate(o.record)
	peers := make(chan *caller, 1)
	served := make(chan struct{})
	address := listen(t, func(conn net.Conn) {
		peers <- &caller{conn, bufio.NewScanner(conn)}
		<-served
	})
	o.worker = call(t, listen(t, func(conn net.Conn) { o.serve(conn, address) }))
	o.peer = <-peers
	t.Cleanup(func() { close(served); o.Close() })
	return o
}

func (o *oneway) serve(conn net.Conn, address string) {
	client := o.Client(conn)
	defer client.Close()
	dialled, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	up := o.Upstream(dialled)
	go func() {
		for s := bufio.NewScanner(client); s.Scan() && o.tell(client, up, s.Text()) == nil; {
		}
		up.Close()
	}()
	for s := bufio.NewScanner(up); s.Scan() && o.give(client, up, s.Text()) == nil; {
	}
	up.Close()
}

func (o *oneway) tell(client *wire.Client, up *wire.Upstream, line string) error {
	x, err := o.Enter(client, "line", "peer", "tell")
	if err != nil {
		return err
	}
	x.Through(up)
	if _, err := fmt.Fprintln(up, line); err != nil {
		up.Close()
		x.Lost("peer has gone")
		return err
	}
	return x.Finish("")
}

func (o *oneway) give(client *wire.Client, up *wire.Upstream, line string) error {
	x, err := o.Deliver(client, up, "line", "peer", "give")
	if err != nil {
		return err
	}
	x.Onward()
	if _, err := fmt.Fprintln(client, line); err != nil {
		x.Lost("client has gone")
		return err
	}
	return x.Finish("")
}

func (o *oneway) want(t *testing.T, text string, want ...wire.Phase) {
	t.Helper()
	if got := o.phases(step(text, 1)); !slices.Equal(got, want) {
		t.Errorf("%s: phases %v, want %v", text, got, want)
	}
	o.wantEnds(t)
}

// What is not answered ends when it has left, and has no reply.
func TestOneway(t *testing.T) {
	o := startOneway(t)
	fmt.Fprintln(o.worker, "a")
	if got, err := o.peer.reply(); got != "a" {
		t.Errorf("the peer has %q, %v", got, err)
	}
	fmt.Fprintln(o.peer, "b")
	if got, err := o.worker.reply(); got != "b" {
		t.Errorf("the worker has %q, %v", got, err)
	}
	if err := o.wait(t.Context(), wire.Passed, 2); err != nil {
		t.Fatal(err)
	}
	o.want(t, "tell", wire.Request, wire.Forwarded, wire.Passed)
	o.want(t, "give", wire.Request, wire.Forwarded, wire.Passed)
	if err := o.Quiet(t.Context()); err != nil {
		t.Error(err)
	}
}

// Killed before, the other side has nothing; after, it has all.
func TestKillOneway(t *testing.T) {
	for _, text := range []string{"tell", "give"} {
		for side, want := range map[wire.Side]string{wire.Before: "", wire.After: "x\n"} {
			o := startOneway(t)
			from, to := o.worker, o.peer
			if text == "give" {
				from, to = o.peer, o.worker
			}
			got := make([]byte, 2)
			n := 0
			read := func() { n, _ = io.ReadFull(to, got) } // or less, to its end, which may be a reset
			a := o.Arm(wire.Fault{Match: verb(text), Side: side, Do: wire.Kill, Kill: func() {
				if side == wire.After { // or the reset overtakes what the worker has
					read()
				}
			}})
			fmt.Fprintln(from, "x")
			<-a.Fired()
			if side == wire.Before {
				read()
			}
			if string(got[:n]) != want {
				t.Errorf("%s %s: the other side has %q, want %q", side, text, got[:n], want)
			}
			phases := []wire.Phase{wire.Request, wire.Forwarded, wire.Killed}
			if side == wire.Before {
				phases = slices.Delete(phases, 1, 2)
			}
			o.want(t, text, phases...)
		}
	}
}

// Held after, a delivery is with the worker, and has no end yet.
func TestHeldDelivery(t *testing.T) {
	o := startOneway(t)
	before := o.Arm(wire.Fault{Match: verb("give"), Do: wire.Hold})
	after := o.Arm(wire.Fault{Match: verb("give"), Side: wire.After, Do: wire.Hold})
	fmt.Fprintln(o.peer, "x")
	<-before.Fired()
	before.Release()
	<-after.Fired()
	if got, err := o.worker.reply(); got != "x" || o.count(wire.Passed) != 0 {
		t.Errorf("the worker has %q, %v; passed %d", got, err, o.count(wire.Passed))
	}
	after.Release()
	if err := o.wait(t.Context(), wire.Passed, 1); err != nil {
		t.Fatal(err)
	}
	o.want(t, "give", wire.Request, wire.Held, wire.Forwarded, wire.Held, wire.Passed)
}

// A delivery that is held when the gate shuts goes nowhere, and Quiet does not wait for it.
func TestShutWithADelivery(t *testing.T) {
	o := startOneway(t)
	a := o.Arm(wire.Fault{Match: verb("give"), Do: wire.Hold})
	fmt.Fprintln(o.peer, "x")
	<-a.Fired()
	o.Shut()
	o.peer.Close()
	if err := o.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := o.worker.reply(); got != "" {
		t.Errorf("the worker has %q", got)
	}
	o.want(t, "give", wire.Request, wire.Held, wire.Refused)
}

// Dropped before it, a delivery ends both connections and leaves the gate open.
func TestDropOfADelivery(t *testing.T) {
	o := startOneway(t)
	a := o.Arm(wire.Fault{Match: verb("give"), Do: wire.Drop})
	fmt.Fprintln(o.peer, "x")
	<-a.Fired()
	if _, err := o.peer.reply(); err != nil { // the end, and no error
		t.Errorf("the peer reads %v", err)
	}
	o.peer.Close()
	if err := o.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := o.worker.reply(); got != "" {
		t.Errorf("the worker has %q", got)
	}
	o.want(t, "give", wire.Request, wire.Dropped)
}
