package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

const sweepLimit = time.Minute

// noRedelivery: after the kill the queue loses the message, as a queue that has
// acknowledged early does. Only the sweep can find the claim then.
func noRedelivery(ctx context.Context, w *world) error {
	op, fired, err := w.killFirst(ctx)
	if err != nil || !fired {
		return err
	}
	if err := w.queue.Lose(); err != nil {
		return err
	}
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	printed, err := w.run(ctx, w.Spec.Sweep, sweepLimit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &hinted.Error{
			What: fmt.Sprintf("the sweep failed: %v", err), Hint: "run the command under sweep of the replay file by hand",
			Output: tail(printed),
		}
	}
	return w.end(ctx, op)
}
