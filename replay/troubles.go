package replay

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/twiceproof/twiceproof/outside"
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
	if err := w.look(ctx, SeenFault, op); err != nil {
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
		w.history.add(Event{Event: EventFault, Detail: fmt.Sprintf("the service was not called within %s", w.Spec.Timeouts.Step)})
		return false, nil
	}
	w.history.add(Event{Event: EventFault, Fired: true, Detail: w.plan.Fault})
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
		w.history.add(Event{Event: EventUnasked, Detail: "no look-up was asked"})
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
	if err := w.look(ctx, SeenFault, op); err != nil {
		return err
	}
	return w.end(ctx, op)
}

// shutdown sends SIGTERM while the act is running, then lets it go on.
func shutdown(ctx context.Context, w *world) error {
	first, t, op, fired, err := w.strikeFirst(ctx, wire.Hold)
	if err != nil || !fired {
		return err
	}
	if err := w.look(ctx, SeenFault, op); err != nil {
		return err
	}
	first.killed.Store(true) // as far as failing by itself goes: it was told to
	w.history.add(Event{Event: EventWorker, Worker: first.name, What: workerTold})
	first.process.signal(syscall.SIGTERM)
	// The answer comes when the worker has had its time to give up waiting for it,
	// so that one that does so always does.
	select {
	case <-first.process.exited:
	case <-time.After(answerAfterTerm):
	}
	t.release()
	select {
	case <-first.process.exited:
		w.history.add(Event{Event: EventWorker, Worker: first.name, What: workerEnded, Detail: exitText(first.process.err)})
	case <-time.After(w.recovery()):
		w.history.add(Event{Event: EventWorker, Worker: first.name, What: workerKilled, Detail: "it did not end by itself"})
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	first.gate.Shut()
	first.process.kill()
	if err := w.quiet(ctx, first); err != nil {
		return err
	}
	return w.recover(ctx, op)
}

const answerAfterTerm = 300 * time.Millisecond

// oldAndNew: what the old code finished without a record is delivered to the new.
func oldAndNew(ctx context.Context, w *world) error {
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	old, err := w.startVersion(ctx, w.unguardedVersion(), nil)
	if err != nil {
		return err
	}
	if err := w.send(&op); err != nil {
		return err
	}
	if err := w.rest(ctx); err != nil {
		return err
	}
	if n, err := w.effects(ctx, op); err != nil || n != 1 {
		w.history.add(Event{Event: EventUnasked, Detail: "the old code did not finish the operation"})
		return err
	}
	w.kill(old)
	old.gate.Shut()
	if err := w.quiet(ctx, old); err != nil {
		return err
	}
	if err := w.backfill(ctx, op); err != nil {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	if err := w.again(op); err != nil {
		return err
	}
	return w.end(ctx, op)
}

func (w *world) unguardedVersion() string {
	for _, v := range w.Spec.Versions {
		if !v.Guarded {
			return v.Name
		}
	}
	return ""
}

// backfill marks what the old code has finished, as the application would before
// the deploy.
func (w *world) backfill(ctx context.Context, op operation) error {
	text, err := os.ReadFile(w.Spec.Resolve(w.Spec.Backfill))
	if err != nil {
		return &Problem{What: fmt.Sprintf("backfill file %s cannot be read", w.Spec.Backfill), Hint: "name it in backfill as seen from the replay file's folder"}
	}
	quoted := strings.NewReplacer("'", "''")
	script := strings.NewReplacer("{{key}}", quoted.Replace(op.key), "{{job_type}}", quoted.Replace(w.Job.Type)).Replace(string(text))
	if err := w.db.Apply(ctx, script); err != nil {
		return &Problem{What: "the backfill cannot be applied: " + err.Error(), Hint: "correct the file that backfill names"}
	}
	return nil
}
