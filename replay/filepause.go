package replay

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// outlastAtFile is outlast of a worker that stands at a write to SQLite's files. It keeps the
// lock as long as it stands there, so nobody can claim, take over or complete anything: that
// the next one does not act all the same is seen first. Then it comes as far as its next step
// on a wire, without the lock, and is outlasted there.
func (w *world) outlastAtFile(ctx context.Context, k *worker, release func(), op operation) error {
	w.pause(k)
	if w.db.IsWritable(ctx) { // it had let go of the lock
		return w.outlast(ctx, k, release, op)
	}
	passed, err := w.redeliverLocked(ctx, op)
	if err != nil {
		return err
	}
	next := k.gate.Arm(wire.Fault{Match: func(s wire.Step) bool { return !queue.IsPoll(s.String()) }, Do: wire.Hold})
	defer next.Release()
	release()
	w.goOn(k)
	held, err := w.struckOrAtRest(ctx, next)
	if err != nil {
		return err
	}
	if err := w.age(ctx, passed); err != nil { // which it could not with the lock held
		return err
	}
	if held {
		return w.outlast(ctx, k, next.Release, op)
	}
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	return w.end(ctx, op)
}

// redeliverLocked gives the message to another worker while the paused one holds the lock, and
// says how much time has passed for the queue, and not for the record.
func (w *world) redeliverLocked(ctx context.Context, op operation) (passed time.Duration, err error) {
	before := 0
	if w.book != nil {
		before = w.book.Count(op.value)
	}
	if now := w.queue.Look(); now.NextDue {
		passed = now.Due
	}
	if err := w.passOnQueue(passed); err != nil {
		return 0, err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return 0, err
	}
	if _, err := w.idle(ctx); err != nil { // one that is still waiting for the lock is right, too
		return 0, err
	}
	if w.book == nil || w.db.IsWritable(ctx) { // a row cannot be made meanwhile
		return passed, nil
	}
	seen := &judge.Seen{When: judge.SeenDown, Effects: w.book.Count(op.value) - before, Queued: w.queue.Look().Left()}
	w.logQueue()
	w.logOutside()
	w.history.add(judge.Event{Event: judge.EventSeen, Operation: op.key, Seen: seen})
	return passed, nil
}
