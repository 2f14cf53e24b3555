package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// How long the workers are left alone after the end of a case, before their effects
// are counted for the last time. A second is for the two cases that are about nothing
// but deliveries; where a fault is what the case is about, the same code has been
// watched there.
const (
	watchLong  = time.Second
	watchShort = 100 * time.Millisecond
)

func (w *world) watchFor() time.Duration {
	if w.plan.Races || w.plan.Case == "sequential" {
		return watchLong
	}
	return watchShort
}

var watchedOnlySoLong = fmt.Sprintf("what a worker does after it has acknowledged: it is waited for %s in sequential and concurrent, %s in the other cases", watchLong, watchShort)

// seenEnd is what the look at an operation's end has counted.
type seenEnd struct {
	op      operation
	effects int
}

// watch counts the effects of all operations of the case once more. Counter-example: a
// body that has answered and charges again in the background, half a second later;
// every look at an end came before.
func (w *world) watch(ctx context.Context) error {
	if len(w.ends) == 0 {
		return nil
	}
	if err := wait(ctx, w.watchFor()); err != nil {
		return err
	}
	for _, end := range w.ends {
		n, err := w.effects(ctx, end.op)
		if err != nil {
			return err
		}
		if n != end.effects {
			if err := w.look(ctx, judge.SeenAfter, end.op); err != nil {
				return err
			}
		}
	}
	return nil
}
