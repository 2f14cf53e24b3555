package replay

import (
	"context"
	"time"
)

// The scripts do; they do not judge. What they saw is in the history.

// past is a little more than any lease: the claim is stale then.
func (w *world) past() time.Duration {
	return max(w.Job.StoredLease(), w.Spec.Queue.Visibility) + time.Second
}

func sequential(ctx context.Context, w *world) error {
	if _, _, err := w.startWorker(ctx, nil); err != nil {
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
	err = w.look(ctx, SeenEnd, op)
	return err
}

// killed kills the first worker at the case's point and gives the message to a
// second one past the lease.
func killed(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	return w.recover(ctx, op, w.past())
}

func (w *world) killFirst(ctx context.Context) (op operation, fired bool, err error) {
	first, armed, err := w.startWorker(ctx, w.caseFault())
	if err != nil {
		return op, false, err
	}
	if op, err = w.newOperation(); err != nil {
		return op, false, err
	}
	if err = w.send(&op); err != nil {
		return op, false, err
	}
	if err = w.awaitFault(ctx, first, armed); err != nil || first.alive() {
		return op, false, err
	}
	err = w.look(ctx, SeenFault, op)
	return op, true, err
}

// recover lets time pass, starts a fresh worker, and looks at how it all ends.
func (w *world) recover(ctx context.Context, op operation, after time.Duration) error {
	if err := w.pass(ctx, after); err != nil {
		return err
	}
	if _, _, err := w.startWorker(ctx, nil); err != nil {
		return err
	}
	return w.end(ctx, op)
}

func (w *world) end(ctx context.Context, op operation) error {
	if err := w.rest(ctx); err != nil {
		return err
	}
	return w.look(ctx, SeenEnd, op)
}

func youngClaim(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if _, _, err := w.startWorker(ctx, nil); err != nil {
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
	return w.look(ctx, SeenYoung, op)
}

// oldClaim comes as near to the end of the lease as the clocks allow, and then
// goes past it.
func oldClaim(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if _, _, err := w.startWorker(ctx, nil); err != nil {
		return err
	}
	const justBefore = 5 * time.Second // for what the delivery itself takes
	age, err := w.claimAge(ctx, op)    // a worker that starts slowly has used some of the lease
	if err != nil {
		return err
	}
	if err := w.redeliverAt(ctx, op, max(0, w.Job.StoredLease()-justBefore-age)); err != nil {
		return err
	}
	if err := w.pass(ctx, justBefore); err != nil {
		return err
	}
	if err := w.look(ctx, SeenRipe, op); err != nil {
		return err
	}
	return w.end(ctx, op)
}

func concurrent(ctx context.Context, w *world) error {
	for range 2 {
		if _, _, err := w.startWorker(ctx, nil); err != nil {
			return err
		}
	}
	overlapped := 0
	// Runs that did not overlap are no race and are made up for, within reason.
	for run := 1; overlapped < w.plan.Runs && run <= 3*w.plan.Runs; run++ {
		if err := w.race(ctx, run); err != nil {
			return err
		}
		events := w.history.all()
		if w.gaveUp(events) {
			return nil
		}
		overlapped = Overlapped(events)
		w.progress(Progress{Planned: &w.plan, Done: overlapped})
	}
	return nil
}

// race gives one operation to both workers at once, in turn as one message id
// twice and as two ids.
func (w *world) race(ctx context.Context, run int) (err error) {
	w.history.nextRun()
	w.operations = nil // the earlier ones are done with
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	w.history.add(Event{Event: EventSent, Operation: op.key})
	if run%2 == 1 {
		op.id, err = w.queue.SendTwice(queueName, w.message(op))
	} else {
		_, err = w.queue.SendPair(queueName, w.message(op))
	}
	if err != nil {
		return err
	}
	return w.end(ctx, op)
}

// gaveUp: a worker that ended or hangs makes further runs pointless.
func (w *world) gaveUp(events []Event) bool {
	for _, e := range events {
		if e.Event == EventTimeout || e.Event == EventWorker && e.What == workerFailed {
			return true
		}
	}
	return false
}

func twoOperations(ctx context.Context, w *world) error {
	if _, _, err := w.startWorker(ctx, nil); err != nil {
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
		if err := w.look(ctx, SeenEnd, op); err != nil {
			return err
		}
	}
	return nil
}
