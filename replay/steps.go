package replay

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// recordedStep is a step of the recorded run.
type recordedStep struct {
	wire.Step
	durable bool
}

// trace is what one worker says, in order.
type trace struct {
	mu       sync.Mutex
	steps    []wire.Step
	begun    map[wire.Step]time.Time // what is seen in files is told later than what crosses a wire
	statuses map[wire.Step]string
}

// crossed takes in what happens at the worker's gate.
func (t *trace) crossed(e wire.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Phase {
	case wire.Request:
		t.steps, t.begun[e.Step] = append(t.steps, e.Step), e.At
	case wire.Reply, wire.Passed:
		if e.Status != "" {
			t.statuses[e.Step] = e.Status
		}
	}
}

// restart forgets what was said so far, and gives it.
func (t *trace) restart() []wire.Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.steps
	t.steps, t.begun, t.statuses = nil, map[wire.Step]time.Time{}, map[wire.Step]string{}
	return before
}

func (t *trace) recorded() (all []recordedStep) {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.steps, func(a, b wire.Step) int { return t.begun[a].Compare(t.begun[b]) })
	for _, s := range t.steps {
		all = append(all, recordedStep{s, makesDurable(s, t.statuses[s])})
	}
	marksFiles(all)
	return all
}

// idleFor is how long an idle worker is listened to: longer than Celery's heartbeat, which is an
// event every 2 s. Those of Sidekiq, every 5 or 10 s, are known by their words (queue.IsBeat).
const (
	idleFor      = 3 * time.Second
	idleForQuiet = 500 * time.Millisecond // where the queue's clients have none
)

// record lets two fresh workers do the job and compares what they said.
func (w *world) record(ctx context.Context, idle time.Duration) (recording, error) {
	if w.filesSeen { // whoever comes first makes the file what it wants, such as journal_mode(WAL)
		if _, err := w.recordOnce(ctx, 0); err != nil {
			return recording{}, err
		}
	}
	first, err := w.recordOnce(ctx, idle)
	if err != nil {
		return recording{}, err
	}
	second, err := w.recordOnce(ctx, 0)
	r := compare(first.idle, first.steps, second.steps)
	r.noise.boot = slices.Concat(first.boot, second.boot)
	return r, err
}

// oneRun is what a worker says until it is ready, before it has a job, and for the job.
type oneRun struct {
	boot, idle []wire.Step
	steps      []recordedStep
}

func (w *world) recordOnce(ctx context.Context, idle time.Duration) (r oneRun, err error) {
	w.history.nextRun()
	w.operations = nil
	if err := w.reopen(); err != nil {
		return r, err
	}
	t := &trace{}
	t.restart()
	k, err := w.startVersion(ctx, w.plan.Version, func(k *worker) { k.trace = t })
	if err != nil {
		return r, err
	}
	defer w.retire(k)
	unwatch, err := w.watchFiles(ctx, k)
	if err != nil {
		return r, err
	}
	defer unwatch()
	r.boot = t.restart()
	if err := wait(ctx, idle); err != nil {
		return r, err
	}
	r.idle = t.restart()
	k.gate.Reset()
	op, err := w.newOperation()
	if err != nil {
		return r, err
	}
	if err := w.send(&op); err != nil {
		return r, err
	}
	if err := w.rest(ctx); err != nil {
		return r, err
	}
	unwatch() // what it saw has been told by then
	r.steps = t.recorded()
	return r, w.look(ctx, judge.SeenEnd, op)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// retire ends a worker that is not needed any more.
func (w *world) retire(k *worker) {
	w.kill(k)
	k.close()
}
