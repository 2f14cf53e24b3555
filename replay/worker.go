package replay

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/fork"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
	"github.com/twiceproof/twiceproof/wire"
)

// worker is one worker process behind proxies of its own. All its connections
// pass one gate.
type worker struct {
	name    string
	gate    *wire.Gate
	proxies []proxy
	// database is the one of them to the database; nil where it is a file.
	database databaseProxy
	process  *process.Process
	launched chan struct{} // closed when the process is there, or will not be
	started  time.Time
	fork     *fork.Workers // nil without --fast
	forked   bool          // and not started cold
	killed   atomic.Bool
	paused   bool
	trace    *trace // nil unless a run is recorded
	closing  sync.Once
}

// startWorker starts a worker of the case's code version and waits until it asks
// the queue for messages.
func (w *world) startWorker(ctx context.Context) (*worker, error) {
	return w.startVersion(ctx, w.plan.Version, nil)
}

// startVersion starts a worker of a code version. Its gate is handed to arm before
// anything can pass it.
func (w *world) startVersion(ctx context.Context, version string, arm func(*worker)) (*worker, error) {
	k := &worker{name: workerName(len(w.workers)), launched: make(chan struct{})}
	k.gate = wire.NewGate(func(e wire.Event) {
		if e.Phase == wire.Unreadable {
			w.history.add(judge.Event{Event: judge.EventUnreadable, Worker: k.name, Detail: e.Status})
			return
		}
		w.history.add(judge.Event{Event: judge.EventStep, Worker: k.name, What: string(e.Phase), Step: e.Step.String(), Detail: e.Status})
		w.queue.Crossed(k.name, e)
		if k.trace != nil {
			k.trace.crossed(e)
		}
	})
	a, err := w.listen(k)
	if err == nil {
		if arm != nil {
			arm(k)
		}
		err = w.launch(ctx, k, version, a)
	}
	close(k.launched)
	if err != nil {
		k.closeProxies()
		return nil, err
	}
	w.workers = append(w.workers, k)
	return k, w.ready(ctx, k)
}

// workerName is A to Z, then A2 and so on.
func workerName(n int) string {
	const letters = 26
	name := string(rune('A' + n%letters))
	if n >= letters {
		name += fmt.Sprint(n/letters + 1)
	}
	return name
}

func (w *world) launch(ctx context.Context, k *worker, version string, a addresses) (err error) {
	v := w.version(version)
	s := fork.Launch{Command: w.fill(v.Run), Folder: w.Spec.Resolve("."), Environ: environment(w.Environ, w.Spec, a)}
	if s.Port, err = portFor(s.Command); err != nil {
		return err
	}
	k.started = time.Now()
	if k.fork = w.forks[version]; k.fork != nil {
		k.process, k.forked, err = k.fork.Start(ctx, s, w.refused)
		return err
	}
	k.process, err = s.Start()
	return err
}

func (l *lab) version(name string) jobfile.CodeVersion {
	i := slices.IndexFunc(l.Spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name == name })
	return l.Spec.Versions[i]
}

// portFor finds a worker that listens itself a port that no other one has.
func portFor(command string) (string, error) {
	if !strings.Contains(command, "{port}") {
		return "", nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port), nil
}

// ready waits until the worker has asked for messages: it waits for some, or was given
// one at once.
func (w *world) ready(ctx context.Context, k *worker) error {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Ready)
	defer cancel()
	go func() { // ends the wait early when the process ends
		select {
		case <-k.process.Exited:
			cancel()
		case <-limited.Done():
		}
	}()
	err := w.queue.Wait(limited, func(s queue.Snapshot) bool {
		return s.Asking[k.name] ||
			slices.ContainsFunc(s.Events, func(e queue.Event) bool { return e.Kind == queue.Received && e.Worker == k.name })
	})
	switch {
	case err == nil:
		if k.fork != nil {
			k.fork.Learn(k.process)
		}
		w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerReady, Detail: k.howStarted(), ForMS: time.Since(k.started).Milliseconds()})
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case k.killed.Load():
		// It was struck before it asked. Counter-example: RQ's, which looks for what a dead one
		// has left when it starts.
		return nil
	}
	return w.notReady(k)
}

// whyUnreadable is why a worker's proxies have ended connections of it.
func (w *world) whyUnreadable(k *worker) (why string) {
	for _, e := range w.history.all() {
		if e.Event == judge.EventUnreadable && e.Worker == k.name {
			why += "; " + e.Detail
		}
	}
	return why
}

func (w *world) notReady(k *worker) *hinted.Error {
	if k.process.HasExited() {
		return &hinted.Error{
			What: fmt.Sprintf("a worker of version %q did not start: %v%s", w.plan.Version, exitText(k.process.Err), w.whyUnreadable(k)),
			Hint: startHint(k.process.Err, k.process.Printed()) + k.forkHint(), Output: tail(k.process.Printed()),
		}
	}
	return &hinted.Error{
		What: fmt.Sprintf("a worker of version %q did not ask the queue for messages within %s%s", w.plan.Version, w.Spec.Timeouts.Ready, w.whyUnreadable(k)),
		Hint: "a replay needs long polling (WaitTimeSeconds over 0) from the addresses that environment names; raise timeouts.ready for a slow start" + k.forkHint(), Output: tail(k.process.Output()),
	}
}

// pause stops the worker's processes where they are; a held step stays held.
func (w *world) pause(k *worker) {
	k.paused = true
	k.process.SignalAll(syscall.SIGSTOP)
	w.awaitPolls(k)
	w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerPaused})
}

// wake lets a paused worker and what is held go on.
func (w *world) wake(k *worker, t *trap) {
	w.goOn(k)
	t.release()
}

func (w *world) goOn(k *worker) {
	k.paused = false
	w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerWoken})
	k.process.SignalAll(syscall.SIGCONT)
}
