package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
)

// sameEvent lets the application itself enqueue one business event again and again.
// Only so is seen what a message that is merely delivered again cannot show: a key
// that is made of a time, or two enqueuers that disagree.
func sameEvent(ctx context.Context, w *world) error {
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	for _, command := range w.Spec.Enqueue {
		for n := range 2 {
			if err := w.enqueue(ctx, command, op, n > 0); err != nil {
				return err
			}
			if err := w.rest(ctx); err != nil {
				return err
			}
		}
	}
	if err := w.compareKeys(ctx, op); err != nil {
		return err
	}
	return w.look(ctx, judge.SeenEnd, op)
}

// An enqueuer is a short program.
const enqueueLimit = time.Minute

// run runs one of the application's own commands, straight at the lab's servers.
func (w *world) run(ctx context.Context, command string, limit time.Duration) (printed string, err error) {
	database, done, err := w.direct()
	if err != nil {
		return "", err
	}
	defer done()
	return process.Run(ctx, w.fill(command), w.Spec.Resolve("."), environment(w.Environ, w.Spec, addresses{
		database: database, queue: w.queue.Direct(), jobFile: w.jobFile(), refuse: w.refuse.URL(), temp: w.folder, authority: w.authorityFile(),
	}), limit)
}

// enqueue runs one of the application's own enqueuers, straight at the queue. It must put
// something on, but again: it may see that the event was enqueued before.
func (w *world) enqueue(ctx context.Context, command string, op operation, again bool) error {
	before := w.sent()
	printed, err := w.run(ctx, strings.ReplaceAll(command, "{{key}}", shell.Quote(op.value)), enqueueLimit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	nothing := w.sent() == before
	if err == nil && nothing && !again {
		err = errors.New("it put nothing on the queue")
	}
	if err != nil {
		return &hinted.Error{
			What: fmt.Sprintf("an enqueuer failed: %v", err), Hint: "run the command under enqueue of the replay file by hand",
			Output: tail(printed),
		}
	}
	detail := "by the application's own code"
	if nothing {
		detail = "again by the application's own code, which refused"
	}
	w.history.add(judge.Event{Event: judge.EventSent, Operation: op.key, Detail: detail})
	return nil
}

// sent counts the messages that were put on the queue.
func (w *world) sent() int { return w.queue.Look().Count(queue.Sent) }

// compareKeys says which part of the operation key differs when the messages of one
// event gave more than one.
func (w *world) compareKeys(ctx context.Context, op operation) error {
	if !w.plan.Guarded {
		return nil
	}
	keys, err := w.db.Keys(ctx, w.Job.Type)
	if err != nil {
		return w.noRecord(err)
	}
	if len(keys) > 1 {
		w.history.add(judge.Event{Event: judge.EventKeys, Operation: op.key, Detail: differingParts(keys, w.Job.Operation.Key)})
	}
	return nil
}
