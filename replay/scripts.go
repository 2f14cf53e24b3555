package replay

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// The scripts do; they do not judge. What they saw is in the history.

// past is a little more than any lease: the claim is stale then. What Redis will deliver
// again by itself is due by then, too: after an hour, where nothing else is set.
func (w *world) past() time.Duration {
	least := max(w.Job.StoredLease(), w.Spec.Queue.Visibility)
	if w.Job.Queue != job.SQS {
		least = max(least, w.queue.Look().Due)
	}
	return least + time.Second
}

func sequential(ctx context.Context, w *world) error {
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	for n := range 4 {
		switch n {
		case 0:
			err = w.send(&op)
		case 3:
			if err = w.pass(ctx, w.past()); err != nil {
				return err
			}
			fallthrough
		default:
			err = w.again(op)
		}
		if err != nil {
			return err
		}
		if err := w.rest(ctx); err != nil {
			return err
		}
	}
	return w.look(ctx, judge.SeenEnd, op)
}

// killed kills the first worker at the case's point and gives the message to a
// second one past the lease.
func killed(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	return w.recover(ctx, op)
}

func (w *world) killFirst(ctx context.Context) (op operation, fired bool, err error) {
	first, _, op, fired, err := w.strikeFirst(ctx, wire.Kill)
	if err != nil || !fired {
		return op, false, err
	}
	if err = w.quiet(ctx, first); err != nil {
		return op, false, err
	}
	return op, true, w.look(ctx, judge.SeenFault, op)
}

// recover lets the lease pass, starts a fresh worker, and looks at how it all ends.
func (w *world) recover(ctx context.Context, op operation) error {
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	return w.end(ctx, op)
}

func (w *world) end(ctx context.Context, op operation) error {
	if err := w.rest(ctx); err != nil {
		return err
	}
	return w.look(ctx, judge.SeenEnd, op)
}

func twoOperations(ctx context.Context, w *world) error {
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	ops, err := w.similarOperations()
	if err != nil {
		return err
	}
	for i := range ops {
		if err := w.send(&ops[i]); err != nil {
			return err
		}
	}
	if err := w.rest(ctx); err != nil {
		return err
	}
	for _, op := range ops {
		if err := w.look(ctx, judge.SeenEnd, op); err != nil {
			return err
		}
	}
	return nil
}
