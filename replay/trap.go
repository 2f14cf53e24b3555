package replay

import (
	"context"
	"fmt"

	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// trap is the case's fault, set for the first worker: on the wire, or, since mail
// has no wire here, in the mail server itself.
type trap struct {
	// await waits until it has struck and says where; false when ctx ended first.
	await   func(ctx context.Context) (where string, struck bool)
	release func() // lets what is held go on
	drop    func() // cuts what is held
	kill    func() // of a fault that does not kill by itself; else nil
}

// strikeFirst starts a worker, gives it a message, and waits until the case's fault
// has struck. It is no error that it did not: the verdict is unknown then.
func (w *world) strikeFirst(ctx context.Context, do wire.Action) (first *worker, t *trap, op operation, struck bool, err error) {
	if first, t, err = w.startTrapped(ctx, do); err != nil {
		return first, t, op, false, err
	}
	if op, err = w.newOperation(); err != nil {
		return first, t, op, false, err
	}
	if err = w.send(&op); err != nil {
		return first, t, op, false, err
	}
	struck, err = w.awaitTrap(ctx, first, t)
	return first, t, op, struck, err
}

// startTrapped starts a worker for which the case's fault is set.
func (w *world) startTrapped(ctx context.Context, do wire.Action) (k *worker, t *trap, err error) {
	at := theCase(w.plan).at
	inMail := w.mail != nil && at.inEffect
	if inMail {
		if t, err = w.trapMail(at); err != nil {
			return nil, nil, err
		}
	}
	k, err = w.startVersion(ctx, w.plan.Version, func(k *worker) {
		if !inMail {
			t = w.trapWire(k, at, do)
		}
	})
	if inMail && do == wire.Kill {
		t.kill = func() {
			w.kill(k)
			k.gate.Shut()
			t.drop()
		}
	}
	return k, t, err
}

func (w *world) trapWire(k *worker, at *faultPoint, do wire.Action) *trap {
	armed := k.gate.Arm(wire.Fault{
		Match: func(s wire.Step) bool { return at.at(w, k, s) },
		Side:  at.side, Do: do, Kill: func() { w.kill(k) },
	})
	return &trap{
		await: func(ctx context.Context) (string, bool) {
			select {
			case <-armed.Fired():
			case <-ctx.Done():
			}
			if !armed.Disarm() {
				return "", false
			}
			<-armed.Fired()
			return armed.Step().String(), true
		},
		release: armed.Release,
	}
}

// trapMail holds the mail before the server accepts it, or its answer afterwards.
func (w *world) trapMail(at *faultPoint) (*trap, error) {
	kind := outside.Hold
	if at.side == wire.After {
		kind = outside.Delay
	}
	armed, err := w.book.Arm(outside.Fault{Kind: kind, Nth: 1})
	if err != nil {
		return nil, err
	}
	return &trap{
		await: func(ctx context.Context) (string, bool) {
			return "mail " + string(kind), armed.Wait(ctx, 1) == nil
		},
		release: armed.Release,
		drop:    armed.Drop,
	}, nil
}

// awaitTrap waits for the fault, and no longer when the worker ends without it.
func (w *world) awaitTrap(ctx context.Context, k *worker, t *trap) (struck bool, err error) {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	go func() {
		select {
		case <-k.process.Exited:
			cancel()
		case <-limited.Done():
		}
	}()
	where, struck := t.await(limited)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	e := judge.Event{Event: judge.EventFault, Worker: k.name, Fired: struck, Step: where, Detail: w.plan.Fault}
	if !struck {
		e.Step, e.Detail = "", fmt.Sprintf("not reached within %s", w.Spec.Timeouts.Step)
	}
	w.history.add(e)
	if !struck {
		w.quote(k)
	}
	if struck && t.kill != nil {
		t.kill()
	}
	return struck, nil
}
