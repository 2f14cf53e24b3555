package replay

import "context"

func concurrent(ctx context.Context, w *world) error {
	for range 2 {
		if _, err := w.startWorker(ctx); err != nil {
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
