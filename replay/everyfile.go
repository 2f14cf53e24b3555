package replay

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/records"
	"github.com/twiceproof/twiceproof/wire"
)

// The places of every_step at the writes to SQLite's files.

// trySeeingFiles finds out, before anything runs, whether the writes can be seen.
func (l *lab) trySeeingFiles(ctx context.Context, plan Plan) {
	if l.Spec.Database.Kind != jobfile.SQLite || plan.Rung != Durable && plan.Rung != Step {
		return
	}
	for _, p := range plan.Cases {
		if p.Case == EveryStep && p.NotApplicable == "" {
			l.filesUnseen = whyNoStrace(ctx)
			l.filesSeen = l.filesUnseen == ""
			return
		}
	}
}

// path is the database's file, as the system names it.
func (w *world) path() string {
	folder, err := filepath.EvalSymlinks(w.folder)
	if err != nil {
		folder = w.folder
	}
	return filepath.Join(folder, sqliteName)
}

// watchFiles tells each write of the worker to the trace, until end. Where they cannot be
// seen it does nothing.
func (w *world) watchFiles(ctx context.Context, k *worker) (end func(), err error) {
	if !w.filesSeen {
		return func() {}, nil
	}
	steps := newFileSteps()
	s, err := w.attach(ctx, k, looked{calls: writing, files: filesOf(w.path())}, func(l traceLine) {
		if at, step, ended := steps.take(l); ended {
			w.noteWrite(k, step, wire.Forwarded)
			w.noteWrite(k, step, wire.Passed)
			k.trace.crossed(wire.Event{At: at, Step: step, Phase: wire.Request})
		}
	})
	if err != nil {
		return nil, w.notSeen(err)
	}
	return s.end, nil
}

func (w *world) attach(ctx context.Context, k *worker, at looked, take func(traceLine)) (*strace, error) {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	return attach(limited, k.process, at, take)
}

func (w *world) notSeen(err error) *Problem {
	return &Problem{
		What: "strace cannot be attached to a worker: " + err.Error(),
		Hint: "let the workers run under the account of the replay, or leave strace out of its PATH: " + EveryStep + " is then without SQLite's files",
	}
}

func (w *world) noteWrite(k *worker, s wire.Step, p wire.Phase) {
	w.history.add(Event{Event: EventStep, Worker: k.name, What: string(p), Step: s.String()})
}

// fileTrap kills the worker after a write. strace stops the thread at each one like it,
// before it can do anything else; it is counted then, and goes on or is killed.
type fileTrap struct {
	step  wire.Step
	fired chan struct{}
	steps fileSteps
	stops map[int]wire.Step // where the threads will stop; none where the write fails

	mu               sync.Mutex
	struck, disarmed bool
}

func (w *world) trapFile(ctx context.Context, k *worker, step wire.Step) (f fault, release func(), err error) {
	t := &fileTrap{step: step, fired: make(chan struct{}), steps: newFileSteps(), stops: map[int]wire.Step{}}
	call, role, _ := strings.Cut(step.Text, " ")
	s, err := w.attach(ctx, k, looked{calls: []string{call, call + "at"}, files: filesOf(w.path(), role), stops: true}, func(l traceLine) { t.take(w, k, l) })
	if err != nil {
		return nil, nil, w.notSeen(err)
	}
	return t, s.end, nil
}

func (t *fileTrap) take(w *world, k *worker, l traceLine) {
	_, s, ended := t.steps.take(l)
	at, stops := t.stops[l.thread]
	switch {
	case !l.stopped:
		t.stops[l.thread] = s
		if ended {
			w.noteWrite(k, s, wire.Forwarded)
		}
	case at == t.step && t.strikes():
		w.noteWrite(k, at, wire.Killed)
		w.kill(k)
		k.gate.Shut() // not before: it waits for what goes to the worker, which stands still
		close(t.fired)
	case stops:
		delete(t.stops, l.thread)
		if at.Nth > 0 {
			w.noteWrite(k, at, wire.Passed)
		}
		_ = syscall.Kill(l.thread, syscall.SIGCONT) // ESRCH: it has ended
	}
}

func (t *fileTrap) strikes() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.struck = !t.disarmed
	return t.struck
}

// Fired is closed when the worker is dead.
func (t *fileTrap) Fired() <-chan struct{} { return t.fired }

// Disarm lets all further writes be, and says whether it has struck.
func (t *fileTrap) Disarm() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disarmed = true
	return t.struck
}

// Step is where it strikes.
func (t *fileTrap) Step() wire.Step { return t.step }

// reopen lets go of SQLite's files and looks at them anew, so that what a dead worker has
// left is recovered now, as the next one to come would. Counter-example: a COMMIT that is
// in the -wal and not yet in the -shm, which whoever has the files open does not see, and
// the next worker does.
func (w *world) reopen() error {
	if w.server != nil {
		return nil
	}
	if err := w.db.Close(); err != nil {
		return err
	}
	db, err := records.Open(string(w.Spec.Database.Kind), w.dsn, w.Table)
	if err != nil {
		return err
	}
	w.db = db
	return nil
}

func (l *lab) filesText() string {
	switch {
	case l.filesSeen:
		return "of SQLite's own writes those to its -shm, which is mapped into memory; those to its other files are steps of " + EveryStep
	case l.filesUnseen != "":
		return "SQLite's own writes: " + l.filesUnseen
	}
	return "the order of the database's own writes (SQLite has no wire); the record is read between them"
}
