package replay

import (
	"context"
	"fmt"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// everyStep records the run, and then strikes a fresh worker at each place of the rung,
// each with an operation of its own.
func everyStep(ctx context.Context, w *world) error {
	idle := idleFor
	if w.Job.Queue == job.SQS {
		idle = idleForQuiet
	}
	r, err := w.record(ctx, idle)
	if err != nil {
		return err
	}
	w.history.add(judge.Event{Event: judge.EventRecorded, Detail: r.tell()})
	all := places(w.Rung, r.steps)
	if w.Rung == judge.Pair {
		w.noise = r.noise
		return w.strikePairs(ctx, all)
	}
	chosen, none := named(all, w.plan.Places)
	w.tellNone(none, all)
	for i, p := range chosen {
		w.progress(Progress{Planned: &w.plan, Done: i, Of: len(chosen)})
		if err := w.strikeAt(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// strikeAt is one run. A place that is not reached is tried once more: what was recorded
// with it may have come from elsewhere.
func (w *world) strikeAt(ctx context.Context, p place) error {
	for n := range 2 {
		w.history.nextRun()
		w.operations, w.barren = nil, false
		struck, err := w.strike(ctx, p)
		if w.unread(err) { // its workers are gone: the next place may be seen
			w.history.add(judge.Event{Event: judge.EventFault, What: p.name(), Detail: fmt.Sprintf("%s was not seen to its end: %v", p, err)})
			return nil
		}
		if err != nil {
			return err
		}
		if struck {
			return nil
		}
		detail := "was not reached; tried once more"
		if n > 0 {
			detail = "was not reached"
		}
		w.history.add(judge.Event{Event: judge.EventFault, What: p.name(), Detail: fmt.Sprintf("%s %s", p, detail)})
	}
	return nil
}

func (w *world) strike(ctx context.Context, p place) (struck bool, err error) {
	if err := w.queue.Lose(); err != nil { // what a run before has left on the queue is not this one's
		return false, err
	}
	w.logQueue()
	if err := w.reopen(); err != nil {
		return false, err
	}
	k, err := w.startWorker(ctx)
	if err != nil {
		return false, err
	}
	defer w.retireAll()
	f, release, err := w.set(ctx, k, p)
	if err != nil {
		return false, err
	}
	defer release()
	op, err := w.newOperation()
	if err != nil {
		return false, err
	}
	if err := w.send(&op); err != nil {
		return false, err
	}
	if struck, err = w.struckOrAtRest(ctx, f); err != nil || !struck {
		return struck, err
	}
	w.history.add(judge.Event{Event: judge.EventFault, Worker: k.name, Fired: true, What: p.name(), Step: f.Step().String(), Detail: p.String()})
	switch {
	case w.Rung == judge.Cut:
		return true, w.afterCut(ctx, p, k, op)
	case w.Rung == judge.Pause && p.step.Protocol == protocolFile:
		return true, w.outlastAtFile(ctx, k, release, op)
	case w.Rung == judge.Pause:
		return true, w.outlast(ctx, k, release, op)
	}
	return w.afterKill(ctx, p, k, op)
}

// afterKill lets the operation come to its end once its worker is dead. Of a pair it tells
// whether the next worker came to the second place.
func (w *world) afterKill(ctx context.Context, p place, k *worker, op operation) (struck bool, err error) {
	if err := w.quiet(ctx, k); err != nil {
		return false, err
	}
	if err := w.reopen(); err != nil {
		return false, err
	}
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return false, err
	}
	switch {
	case w.Rung != judge.Pair:
		return true, w.recover(ctx, op)
	case p.then == nil:
		return true, w.hear(ctx, op)
	}
	if struck, err = w.killAgain(ctx, *p.then); err != nil {
		return false, err
	}
	if !struck {
		return false, w.look(ctx, judge.SeenEnd, op)
	}
	return true, w.recover(ctx, op)
}

// outlast pauses the worker past its lease while another one goes on.
func (w *world) outlast(ctx context.Context, k *worker, release func(), op operation) error {
	w.pause(k)
	if err := w.look(ctx, judge.SeenFault, op); err != nil {
		return err
	}
	if err := w.pass(ctx, w.past()); err != nil {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	if err := w.rest(ctx); err != nil {
		return err
	}
	if err := w.look(ctx, judge.SeenTaken, op); err != nil {
		return err
	}
	w.goOn(k)
	release()
	return w.end(ctx, op)
}

func (w *world) retireAll() {
	for _, k := range w.workers {
		if !k.killed.Load() {
			w.retire(k)
		}
		k.close()
	}
}
