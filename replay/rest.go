package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// patience is how often a message may be put back, each time until its wait is over,
// before it is taken to go round for ever: more often than all budgets of the job.
func (w *world) patience() int {
	s := w.Job.Stale
	budgets := max(s.MaxTakeovers, job.DefaultMaxTakeovers) + max(s.MaxLookups, job.DefaultMaxLookups)
	return 4 + 2*budgets
}

// rest lets the workers work until the queue is empty. Whenever all of them are
// idle and the queue still has messages, it lets time pass until the next one is
// due. So a put back costs no real time, and a worker is never aged while it works.
func (w *world) rest(ctx context.Context) error {
	if w.barren {
		return nil
	}
	for n := range w.patience() {
		rested, err := w.idle(ctx)
		if err != nil || !rested || !w.anyAlive() { // nobody would get what is due
			return err
		}
		now := w.queue.Look()
		if !now.NextDue {
			return nil
		}
		if n+1 == barrenRounds {
			if err := w.markBarren(ctx); err != nil || w.barren {
				return err
			}
		}
		if err := w.pass(ctx, now.Due); err != nil {
			return err
		}
	}
	w.history.add(judge.Event{Event: judge.EventUnrested, Detail: fmt.Sprintf("the message was put back %d times", w.patience())})
	return nil
}

// idle waits until no worker has anything in hand: each that lives waits for a message,
// and nothing is there to be received.
func (w *world) idle(ctx context.Context) (bool, error) {
	limit, began := w.recovery(), time.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	loops := false
	err := w.queue.Wait(limited, func(s queue.Snapshot) bool {
		loops = len(s.Events)-w.logged > hotLoopEvents
		return loops || w.failed() != nil || !w.anyAlive() || s.Visible == 0 && w.allIdle(s)
	})
	switch k := w.failed(); {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case k != nil:
		w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerFailed, Detail: exitText(k.process.Err)})
	case loops:
		w.logQueue()
		w.history.add(judge.Event{Event: judge.EventUnrested, Detail: "the message comes again and again though the replay lets no time pass"})
	case err != nil && w.anyPaused(): // it may wait for the paused one, as for a row's lock: the end tells
		w.history.add(judge.Event{Event: judge.EventWaited, Detail: fmt.Sprintf("a worker was busy for %s while another one was paused", limit)})
	case err != nil:
		return false, w.stillBusy(ctx, limit)
	default:
		if w.acknowledged() { // one that only waits and puts back is no measure of the work
			w.wasBusy(time.Since(began))
		}
		return true, nil
	}
	return false, nil
}

// recovery is how long a worker may be busy: as long as agreed, and twice as long as
// it was seen to be by itself. In a race more is needed, since a worker that is
// slower there, as two on one machine are, is not blocked.
func (w *world) recovery() time.Duration {
	w.mu.Lock()
	limit := max(w.Spec.Timeouts.Recovery, 2*w.busiest[w.plan.Version])
	w.mu.Unlock()
	if w.plan.Races { // nobody is blocked before longest_run is over
		limit = max(limit, leastInRace, min(w.Job.LongestRun, mostInRace)+time.Second)
	}
	return limit
}

// acknowledged: a message was since the queue was last looked at.
func (w *world) acknowledged() bool {
	return slices.ContainsFunc(w.queue.Look().Events[w.logged:], func(e queue.Event) bool { return e.Kind == queue.Deleted })
}

func (w *world) wasBusy(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busiest == nil {
		w.busiest = map[string]time.Duration{}
	}
	w.busiest[w.plan.Version] = max(w.busiest[w.plan.Version], d.Round(time.Second/10))
}

// A blocked worker is waited for so long; with a longest_run over mostInRace it is never told
// from one that is at work.
const (
	leastInRace = 20 * time.Second
	mostInRace  = 2 * time.Minute
)

// stillBusy writes what the verdict needs: who has the message, and whether the
// database makes a worker wait for another one.
func (w *world) stillBusy(ctx context.Context, limit time.Duration) error {
	w.logQueue()
	e := judge.Event{Event: judge.EventTimeout, Detail: fmt.Sprintf("a worker was still busy after %s", limit), ForMS: limit.Milliseconds()}
	locked, err := w.db.Locked(ctx)
	if locked {
		e.What = judge.TimeoutLocked
	}
	w.history.add(e)
	return err
}

// So many events of the queue without a rest are a hot loop of some message, which
// Judge then counts by message.
const hotLoopEvents = 400

// allIdle: every worker that lives and is not paused.
func (w *world) allIdle(s queue.Snapshot) bool {
	return !slices.ContainsFunc(w.workers, func(k *worker) bool { return k.alive() && !k.paused && !s.Idle[k.name] })
}

func (w *world) anyAlive() bool { return slices.ContainsFunc(w.workers, (*worker).alive) }

func (w *world) anyPaused() bool {
	return slices.ContainsFunc(w.workers, func(k *worker) bool { return k.paused })
}

// failed is a worker that ended though nobody killed it.
func (w *world) failed() *worker {
	for _, k := range w.workers {
		if !k.killed.Load() && k.process.HasExited() {
			return k
		}
	}
	return nil
}

// receives counts the deliveries so far.
func (w *world) receives() int { return w.queue.Look().Count(queue.Received) }
