package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// twoAtOnce brings two workers to one stale claim: both have read it and are about to
// take it over. The first goes on up to its act, then the second does. A takeover that
// does not show the claim that was read succeeds for both.
func twoAtOnce(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	first, second, err := w.startTwo(ctx)
	if err != nil {
		return err
	}
	takeover, act := w.arrange(w.isTakeover, first, second), w.arrange(w.isEffect, first, second)
	defer takeover.end()
	defer act.end()
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	if err := w.again(op); err != nil {
		return err
	}
	if err := w.oneThenTheOther(ctx, first, takeover, act); err != nil {
		return err
	}
	return w.end(ctx, op)
}

func (w *world) startTwo(ctx context.Context) (first, second *worker, err error) {
	if first, err = w.startWorker(ctx); err != nil {
		return nil, nil, err
	}
	second, err = w.startWorker(ctx)
	return first, second, err
}

// oneThenTheOther brings both to the takeover, then the first to its act, then the
// second there too.
func (w *world) oneThenTheOther(ctx context.Context, first *worker, takeover, act *meeting) error {
	limit := w.recovery()
	met, err := w.gather(ctx, takeover, limit)
	if err != nil {
		return err
	}
	if !met {
		w.history.add(judge.Event{Event: judge.EventUnasked, Detail: "two workers did not get to the takeover at once"})
	}
	takeover.at[first].Release()
	if _, err := w.gather(ctx, act.of(first), limit); err != nil {
		return err
	}
	takeover.end()
	_, err = w.gather(ctx, act, limit)
	act.end()
	return err
}
