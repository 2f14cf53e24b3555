package replay

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// shutdown sends SIGTERM while the act is running, then lets it go on.
func shutdown(ctx context.Context, w *world) error {
	first, t, op, fired, err := w.strikeFirst(ctx, wire.Hold)
	if err != nil || !fired {
		return err
	}
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	if err := w.terminate(ctx, first, t); err != nil {
		return err
	}
	first.gate.Shut()
	first.process.Kill()
	w.endLeft()
	w.queue.Dead(first.name)
	if err := w.quiet(ctx, first); err != nil {
		return err
	}
	return w.recover(ctx, op)
}

// terminate sends SIGTERM, releases what is held a little later, and waits for the
// worker's end.
func (w *world) terminate(ctx context.Context, k *worker, t *trap) error {
	k.killed.Store(true) // as far as failing by itself goes: it was told to
	w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerTold})
	w.stopGently(k)
	// The answer comes when the worker has had its time to stop waiting for it,
	// so that one that does so always does.
	select {
	case <-k.process.Exited:
	case <-time.After(answerAfterTerm):
	}
	t.release()
	select {
	case <-k.process.Exited:
		w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerEnded, Detail: exitText(k.process.Err)})
	case <-time.After(w.recovery()):
		w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerKilled, Detail: "it did not end by itself"})
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

const answerAfterTerm = 300 * time.Millisecond
