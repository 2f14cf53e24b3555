package replay

import (
	"context"
	"fmt"

	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// unknownOutcome lets the outside service fail the first call for the operation.
func unknownOutcome(ctx context.Context, w *world) error {
	k, err := w.startWorker(ctx)
	if err != nil {
		return err
	}
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	armed, err := w.book.Arm(outside.Fault{Kind: theCase(w.plan).service, Nth: 1})
	if err != nil {
		return err
	}
	if err := w.send(&op); err != nil {
		return err
	}
	if fired, err := w.awaitService(ctx, armed); err != nil || !fired {
		return err
	}
	w.pause(k) // or it has acted again before the look
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	w.goOn(k)
	return w.end(ctx, op)
}

func (w *world) awaitService(ctx context.Context, armed *outside.Armed) (fired bool, err error) {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	err = armed.Wait(limited, 1)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err != nil {
		w.history.add(judge.Event{Event: judge.EventFault, Detail: fmt.Sprintf("the service was not called within %s", w.Spec.Timeouts.Step)})
		return false, nil
	}
	w.history.add(judge.Event{Event: judge.EventFault, Fired: true, Detail: w.plan.Fault})
	return true, nil
}

// lookUpFails kills the worker after the effect; from then on the service answers
// no look-up.
func lookUpFails(ctx context.Context, w *world) error {
	armed, err := w.book.Arm(outside.Fault{Kind: outside.LookUpFail})
	if err != nil {
		return err
	}
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if err := w.recover(ctx, op); err != nil {
		return err
	}
	if armed.Fired() == 0 {
		w.history.add(judge.Event{Event: judge.EventUnasked, Detail: "no look-up was asked"})
	}
	return nil
}

// lostReply cuts the database's connection after the server has done what it was
// asked, before the worker hears of it. The worker lives on.
func lostReply(ctx context.Context, w *world) error {
	_, _, op, fired, err := w.strikeFirst(ctx, wire.Drop)
	if err != nil || !fired {
		return err
	}
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	return w.end(ctx, op)
}
