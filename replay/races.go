package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/replay/judge"
)

func concurrent(ctx context.Context, w *world) error {
	if _, _, err := w.startTwo(ctx); err != nil {
		return err
	}
	if alone, err := w.alone(ctx); err != nil || !alone {
		return err
	}
	overlapped := 0
	// Runs that did not overlap are no race and are made up for, within reason.
	for run := 1; overlapped < w.plan.Runs && run <= 3*w.plan.Runs; run++ {
		if err := w.race(ctx, run); err != nil {
			return err
		}
		events := w.history.all()
		if w.pointless(events) {
			return nil
		}
		overlapped = judge.Overlapped(events)
		w.progress(Progress{Planned: &w.plan, Done: overlapped})
	}
	return nil
}

// alone lets an operation be done with nobody beside it. How long that takes is what a
// race is measured by: a worker that is slow, or hangs, by itself is not blocked.
func (w *world) alone(ctx context.Context) (bool, error) {
	op, err := w.newOperation()
	if err != nil {
		return false, err
	}
	if err := w.send(&op); err != nil {
		return false, err
	}
	err = w.rest(ctx)
	w.logQueue() // or it is taken for the first run's
	return err == nil && !w.pointless(w.history.all()), err
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
	m, err := w.arrangeAct()
	if err != nil {
		return err
	}
	defer m.end() // or what could not be sent leaves it waiting
	w.history.add(judge.Event{Event: judge.EventSent, Operation: op.key})
	if run%2 == 1 {
		op.id, err = w.queue.SendTwice(w.message(op))
	} else {
		err = w.queue.SendPair(w.message(op))
	}
	if err != nil {
		return err
	}
	if err := w.meet(ctx, m); err != nil {
		return err
	}
	return w.end(ctx, op)
}

// pointless: after a worker that ended or hangs, further runs show nothing.
func (w *world) pointless(events []judge.Event) bool {
	for _, e := range events {
		if e.Event == judge.EventTimeout || e.Event == judge.EventWorker && e.What == judge.WorkerFailed {
			return true
		}
	}
	return false
}
