package sidekiq

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// A job that is off its list when the connection ends, and has not come to its worker, is
// lost though the worker lives. One that has come is at work.
func TestAConnectionCutAtTheDelivery(t *testing.T) {
	for side, want := range map[wire.Side]string{
		wire.Before: "sent1, received1 A, lost1 A, redelivered2, received2 A",
		wire.After:  "sent1, received1 A, deleted1 A",
	} {
		t.Run(side.String(), func(t *testing.T) {
			r := start(t)
			cut := r.gate.Arm(wire.Fault{Match: isDelivery, Side: side, Do: wire.Drop})
			r.send()
			_, _ = r.say.BRPop(t.Context(), 5*time.Second, "queue:default").Result() // what has come may be read, or not
			wiretest.Fires(t, cut)
			if due := r.q.Look().NextDue; due != (side == wire.Before) {
				t.Errorf("there is one to be put on again: %t", due)
			}
			if side == wire.After {
				r.askInVain()
			} else if err := r.q.Advance(time.Second); err != nil {
				t.Fatal(err)
			} else {
				r.poll()
			}
			r.expect(want)
		})
	}
}
