package replay

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/celery"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// What is about Celery's and RQ's workers: a process that takes the messages, and below it those
// that run the tasks.

// killedChild kills the pool's processes where the effect is, as a system does that is out
// of memory. The worker lives, and decides what becomes of the message.
func killedChild(ctx context.Context, w *world) error {
	first, t, op, fired, err := w.strikeFirst(ctx, wire.Hold)
	if err != nil || !fired {
		return err
	}
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	before := w.receives()
	n := first.process.KillChildren()
	w.history.add(judge.Event{Event: judge.EventWorker, Worker: first.name, What: judge.WorkerChildKilled, Detail: fmt.Sprintf("%d processes of its pool", n)})
	t.release()
	if n == 0 {
		w.history.add(judge.Event{Event: judge.EventUnasked, Detail: "the worker has no pool of processes, so there is none to kill"})
		return w.end(ctx, op)
	}
	if rested, err := w.idle(ctx); err != nil || !rested {
		return err
	}
	lost := w.receives() == before && w.queue.Look().Left() == 0
	if lost {
		what := queue.LostWithChild
		if w.Job.Queue == job.RQ {
			what = queue.Abandoned
		}
		w.logQueue()
		w.history.add(judge.Event{Event: judge.EventQueue, Worker: first.name, Message: op.id, What: string(what)})
	}
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	if lost {
		if err := w.again(op); err != nil {
			return err
		}
	}
	return w.end(ctx, op)
}

// stopGently sends SIGTERM as a deploy does: to the group; of Celery to its first process
// alone, whose pool would otherwise end in the middle of the act.
func (w *world) stopGently(k *worker) {
	if w.Job.Queue == job.Celery {
		k.process.SignalFirst(syscall.SIGTERM)
		return
	}
	k.process.Signal(syscall.SIGTERM)
}

// awaitPolls waits until a paused worker of Celery has no poll open any more: each is over
// after a second, on SQS after twenty at most, and would take a message that nobody gets
// until the worker wakes up.
func (w *world) awaitPolls(k *worker) {
	longest := 3 * time.Second
	if w.Spec.Queue.Broker == string(celery.SQS) {
		longest = 21 * time.Second
	}
	if w.Job.Queue != job.Celery || w.Spec.Queue.Broker == string(celery.RabbitMQ) { // which sends without being asked
		return
	}
	limited, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	_ = w.queue.Wait(limited, func(s queue.Snapshot) bool { return !s.Asking[k.name] }) // what it took meanwhile is in its hand
}
