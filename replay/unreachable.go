package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// unreachableDatabase delivers the message while the worker's connections to the
// database are refused. Its queue and the outside service are there all the time.
func unreachableDatabase(ctx context.Context, w *world) error {
	k, err := w.startWorker(ctx)
	if err != nil {
		return err
	}
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	k.database.Refuse()
	if err := w.send(&op); err != nil {
		return err
	}
	if err := w.tried(ctx); err != nil {
		return err
	}
	if w.receives() == 0 {
		w.history.add(judge.Event{Event: judge.EventFault, Worker: k.name, Detail: "the message was not received"})
		return nil
	}
	w.history.add(judge.Event{Event: judge.EventFault, Worker: k.name, Fired: true, Detail: w.plan.Fault})
	if err := w.look(ctx, judge.SeenDown, op); err != nil {
		return err
	}
	k.database.Admit()
	return w.end(ctx, op)
}

// tried waits until the worker has given the delivery up: it asks for more, or has the
// message once again. One that keeps it and tries on is right, too.
func (w *world) tried(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, w.recovery())
	defer cancel()
	_ = w.queue.Wait(limited, func(s queue.Snapshot) bool { // either way the look tells
		n := s.Count(queue.Received)
		return w.failed() != nil || n > 1 || n == 1 && s.Visible == 0 && w.allIdle(s)
	})
	return context.Cause(ctx)
}
