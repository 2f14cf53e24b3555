package replay

import (
	"context"
	"fmt"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// afterCut lets the worker go on. One that was cut off its queue may not come back to it, and
// that is no matter of the job. Counter-example: Celery on Redis, whose worker asks for nothing
// any more when an acknowledgement has failed.
func (w *world) afterCut(ctx context.Context, p place, k *worker, op operation) error {
	if p.step.Peer == queue.Peer {
		if back, err := w.comesBack(ctx); err != nil {
			return err
		} else if !back {
			return w.replace(ctx, k, op)
		}
	}
	return w.end(ctx, op)
}

// replace does what whoever keeps the workers would do, and the next one has the message past
// the lease; but not what was acknowledged before the work, which may have ended unheard.
func (w *world) replace(ctx context.Context, k *worker, op operation) error {
	w.history.add(judge.Event{Event: judge.EventWaited, Worker: k.name, Detail: fmt.Sprintf("worker %s did not come back to its queue within %s, and another one took its place", k.name, w.recovery())})
	before := w.queue.Look().Count(queue.LostEarly)
	w.retire(k)
	if w.queue.Look().Count(queue.LostEarly) > before {
		return w.look(ctx, judge.SeenEnd, op)
	}
	return w.recover(ctx, op)
}

// comesBack waits until the worker has nothing in hand and asks for more, or has ended.
func (w *world) comesBack(ctx context.Context) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, w.recovery())
	defer cancel()
	err := w.queue.Wait(limited, func(s queue.Snapshot) bool {
		return w.failed() != nil || !w.anyAlive() || s.Visible == 0 && w.allIdle(s)
	})
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return err == nil, nil
}
