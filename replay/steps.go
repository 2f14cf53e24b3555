package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/queue"
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

// recording is what is known of a run before anything is struck.
type recording struct {
	steps []recordedStep
	// unstable steps were in one of two runs only; background is what an idle worker says.
	unstable, background []string
}

// idleFor is how long an idle worker is listened to: longer than a heartbeat of Sidekiq.
const (
	idleFor      = 6 * time.Second
	idleForQuiet = 500 * time.Millisecond // where the queue's clients have none
)

// record lets two fresh workers do the job and compares what they said.
func (w *world) record(ctx context.Context, idle time.Duration) (recording, error) {
	if w.filesSeen { // whoever comes first makes the file what it wants, such as journal_mode(WAL)
		if _, _, err := w.recordOnce(ctx, 0); err != nil {
			return recording{}, err
		}
	}
	background, first, err := w.recordOnce(ctx, idle)
	if err != nil {
		return recording{}, err
	}
	_, second, err := w.recordOnce(ctx, 0)
	return compare(background, first, second), err
}

func (w *world) recordOnce(ctx context.Context, idle time.Duration) (background []wire.Step, steps []recordedStep, err error) {
	w.history.nextRun()
	w.operations = nil
	if err := w.reopen(); err != nil {
		return nil, nil, err
	}
	t := &trace{}
	t.restart()
	k, err := w.startVersion(ctx, w.plan.Version, func(k *worker) { k.trace = t })
	if err != nil {
		return nil, nil, err
	}
	defer w.retire(k)
	unwatch, err := w.watchFiles(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	defer unwatch()
	t.restart()
	if err := wait(ctx, idle); err != nil {
		return nil, nil, err
	}
	background = t.restart()
	k.gate.Reset()
	op, err := w.newOperation()
	if err != nil {
		return nil, nil, err
	}
	if err := w.send(&op); err != nil {
		return nil, nil, err
	}
	if err := w.rest(ctx); err != nil {
		return nil, nil, err
	}
	unwatch() // what it saw has been told by then
	return background, t.recorded(), w.look(ctx, SeenEnd, op)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// compare keeps, in the order of the first, what both runs have and no idle worker says.
func compare(background []wire.Step, first, second []recordedStep) (r recording) {
	type identity struct{ peer, text string }
	noise := map[identity]bool{}
	for _, s := range background {
		if id := (identity{s.Peer, s.Text}); !noise[id] && !queue.IsPoll(s.String()) {
			noise[id] = true
			r.background = append(r.background, stepText(s))
		}
	}
	counts := func(s recordedStep) bool {
		return !queue.IsPoll(s.String()) && !queue.IsBeat(s.String()) && !noise[identity{s.Peer, s.Text}]
	}
	among := func(all []recordedStep, s recordedStep) bool {
		return slices.ContainsFunc(all, func(other recordedStep) bool { return other.Step == s.Step })
	}
	for _, s := range first {
		switch {
		case !counts(s):
		case among(second, s):
			r.steps = append(r.steps, s)
		default:
			r.unstable = append(r.unstable, stepText(s.Step))
		}
	}
	for _, s := range second {
		if counts(s) && !among(first, s) {
			r.unstable = append(r.unstable, stepText(s.Step))
		}
	}
	return r
}

// tell is the recording for people.
func (r recording) tell() string {
	writes := 0
	for _, s := range r.steps {
		if s.Protocol == protocolFile {
			writes++
		}
	}
	text := fmt.Sprintf("%d steps recorded in each of two runs", len(r.steps)-writes)
	if writes > 0 {
		text = fmt.Sprintf("%d steps and %d writes to the database's files recorded in each of two runs", len(r.steps)-writes, writes)
	}
	if len(r.unstable) > 0 {
		text += "; in one of them only, and so not struck: " + strings.Join(r.unstable, ", ")
	}
	if len(r.background) > 0 {
		text += "; left out, since an idle worker says it too: " + strings.Join(r.background, ", ")
	}
	return text
}

// retire ends a worker that is not needed any more.
func (w *world) retire(k *worker) {
	w.kill(k)
	k.close()
}
