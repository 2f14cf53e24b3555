package replay

import (
	"context"
	"strings"
	"sync"
	"syscall"

	"github.com/twiceproof/twiceproof/wire"
)

// fileTrap strikes a worker after a write. strace stops the thread at each one that might be
// it, before it can do anything else; it goes on, or is killed, or stands where it is.
type fileTrap struct {
	is    func(wire.Step) bool // asked once for each write, in order
	kills bool                 // else it stands
	fired chan struct{}
	steps fileSteps
	stops map[int]wire.Step // where the threads will stop; none where the write fails
	step  wire.Step         // where it has struck

	mu               sync.Mutex
	struck, disarmed bool
}

// trapFile strikes after the place's write.
func (w *world) trapFile(ctx context.Context, k *worker, step wire.Step, kills bool) (f fault, release func(), err error) {
	call, role, _ := strings.Cut(step.Text, " ")
	t := &fileTrap{is: func(s wire.Step) bool { return s == step }, kills: kills}
	return w.setFileTrap(ctx, k, looked{calls: []string{call, call + "at"}, files: filesOf(w.path(), role)}, t)
}

func (w *world) setFileTrap(ctx context.Context, k *worker, at looked, t *fileTrap) (f fault, release func(), err error) {
	at.stops, t.fired, t.steps, t.stops = true, make(chan struct{}), newFileSteps(), map[int]wire.Step{}
	s, err := w.attach(ctx, k, at, func(l traceLine) { t.take(w, k, l) })
	if err != nil {
		return nil, nil, w.notSeen(err)
	}
	return t, func() {
		s.end()
		if k.alive() && !k.paused { // it stands where it was struck, or at a write that nobody has counted any more
			k.process.Signal(syscall.SIGCONT)
		}
	}, nil
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
	case t.stands(): // and nobody of it goes on
	case at.Nth > 0 && t.is(at) && t.strikes():
		t.step = at
		t.strike(w, k)
	case stops:
		delete(t.stops, l.thread)
		if at.Nth > 0 {
			w.noteWrite(k, at, wire.Passed)
		}
		_ = syscall.Kill(l.thread, syscall.SIGCONT) // ESRCH: it has ended
	}
}

func (t *fileTrap) strike(w *world, k *worker) {
	defer close(t.fired)
	if !t.kills {
		w.noteWrite(k, t.step, wire.Held)
		return
	}
	w.noteWrite(k, t.step, wire.Killed)
	w.kill(k)
	k.gate.Shut() // not before: it waits for what goes to the worker, which stands still
}

func (t *fileTrap) strikes() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.struck = !t.disarmed
	return t.struck
}

func (t *fileTrap) stands() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.struck && !t.kills
}

// Fired is closed when the worker is dead, or stands.
func (t *fileTrap) Fired() <-chan struct{} { return t.fired }

// Disarm lets all further writes be, and says whether it has struck.
func (t *fileTrap) Disarm() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disarmed = true
	return t.struck
}

// Step is where it has struck. Only after Fired.
func (t *fileTrap) Step() wire.Step { return t.step }
