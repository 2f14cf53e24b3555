package replay

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

func youngClaim(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	if err := w.redeliverAt(ctx, op, w.Job.StoredLease()/4); err != nil {
		return err
	}
	return w.pastThenEnd(ctx, op)
}

func (w *world) pastThenEnd(ctx context.Context, op operation) error {
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	return w.end(ctx, op)
}

// redeliverAt gives the message to the waiting worker when the claim has become
// older by that much, and looks at what came of it. Where the queue would not
// deliver so early by itself, the message is put on again.
func (w *world) redeliverAt(ctx context.Context, op operation, older time.Duration) error {
	before := w.receives()
	if err := w.pass(ctx, older); err != nil {
		return err
	}
	if _, err := w.idle(ctx); err != nil {
		return err
	}
	if w.receives() == before {
		if err := w.again(op); err != nil {
			return err
		}
		if _, err := w.idle(ctx); err != nil {
			return err
		}
	}
	return w.look(ctx, judge.SeenYoung, op)
}

// oldClaim comes as near to the end of the lease as the clocks allow, and then
// goes past it.
func oldClaim(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	justBefore := 5*time.Second + w.queue.Look().AskedEvery // for what the delivery itself takes
	age, err := w.claimAge(ctx, op)                         // a worker that starts slowly has used some of the lease
	if err != nil {
		return err
	}
	if err := w.redeliverAt(ctx, op, max(0, w.Job.StoredLease()-justBefore-age)); err != nil {
		return err
	}
	if err := w.pass(ctx, justBefore); err != nil {
		return err
	}
	if err := w.look(ctx, judge.SeenRipe, op); err != nil {
		return err
	}
	return w.end(ctx, op)
}

// youngPaused: the holder of the young claim lives, and goes on after the other
// worker has met its claim.
func youngPaused(ctx context.Context, w *world) error {
	first, t, op, fired, err := w.strikeFirst(ctx, wire.Hold)
	if err != nil || !fired {
		return err
	}
	w.pause(first)
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	if err := w.redeliverAt(ctx, op, w.Job.StoredLease()/4); err != nil {
		return err
	}
	w.wake(first, t)
	return w.end(ctx, op)
}

// lateFinisher pauses the first worker past its lease, lets another one follow the
// policy, and then wakes the first.
func lateFinisher(ctx context.Context, w *world) error {
	first, t, op, fired, err := w.strikeFirst(ctx, wire.Hold)
	if err != nil || !fired {
		return err
	}
	return w.outlast(ctx, first, t.release, op)
}
