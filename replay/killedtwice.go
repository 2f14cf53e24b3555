package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/wire"
)

func afterTwoKills(j job.Job, at job.Moment) []job.End { return j.EndsTwice(at) }

// killedTwice kills the first worker after its effect, and the next one after its
// own, where the policy lets it make one.
func killedTwice(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	second, a, err := w.startArmed(ctx, w.plan.Version, w.faultAt(wire.Kill))
	if err != nil {
		return err
	}
	if err := w.restUntilKilled(ctx, second); err != nil {
		return err
	}
	if a.Disarm() {
		<-a.Fired()
		w.history.add(Event{Event: EventFault, Worker: second.name, Fired: true, Step: a.Step().String(), Detail: w.plan.Fault})
		if err := w.quiet(ctx, second); err != nil {
			return err
		}
	}
	return w.recover(ctx, op)
}

// restUntilKilled is rest that ends also when the worker has been killed.
func (w *world) restUntilKilled(ctx context.Context, k *worker) error {
	for range patienceRounds {
		settled, err := w.idle(ctx)
		if err != nil || !settled || k.killed.Load() {
			return err
		}
		due, any := nextDue(w.queue.Log(queueName), w.queue.Clock().Now())
		if !any {
			return nil
		}
		if err := w.pass(ctx, due); err != nil {
			return err
		}
	}
	return nil
}
