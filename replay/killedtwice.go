package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
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
	if err := w.killNext(ctx); err != nil {
		return err
	}
	return w.recover(ctx, op)
}

// killNext starts a worker that is killed when it gets to the point. It may come to
// rest without.
func (w *world) killNext(ctx context.Context) error {
	k, t, err := w.startTrapped(ctx, wire.Kill)
	if err != nil {
		return err
	}
	either, cancel := context.WithCancel(ctx)
	defer cancel()
	rested := make(chan error, 1)
	go func() {
		rested <- w.rest(either)
		cancel()
	}()
	where, struck := t.await(either)
	if struck {
		w.history.add(judge.Event{Event: judge.EventFault, Worker: k.name, Fired: true, Step: where, Detail: w.plan.Fault})
		if t.kill != nil {
			t.kill()
		}
		cancel() // with nobody alive there is no rest
	}
	err = <-rested
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !struck:
		return err
	}
	return w.quiet(ctx, k)
}
