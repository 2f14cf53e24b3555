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

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// What a history says of a worker.
const (
	workerReady  = "ready"
	workerKilled = "killed"
	workerFailed = "ended_by_itself"
	workerPaused = "paused"
	workerWoken  = "woken"
	workerTold   = "told_to_stop"
	workerEnded  = "ended"

	workerChildKilled = "child_killed"
)

// worker is one worker process behind proxies of its own. All its connections
// pass one gate.
type worker struct {
	name    string
	gate    *wire.Gate
	proxies []proxy
	// database is the one of them to the database; nil where it is a file.
	database databaseProxy
	process  *process
	started  time.Time
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
	k := &worker{name: workerName(len(w.workers))}
	k.gate = wire.NewGate(func(e wire.Event) {
		w.history.add(Event{Event: EventStep, Worker: k.name, What: string(e.Phase), Step: e.Step.String(), Detail: e.Status})
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
		err = w.launch(k, version, a)
	}
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

func (w *world) launch(k *worker, version string, a addresses) (err error) {
	v := w.version(version)
	command, err := withPort(w.fill(v.Run))
	if err != nil {
		return err
	}
	k.started = time.Now()
	k.process, err = startProcess(command, w.Spec.Resolve("."), environment(w.Environ, w.Spec, a))
	return err
}

func (w *world) version(name string) jobfile.CodeVersion {
	i := slices.IndexFunc(w.Spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name == name })
	return w.Spec.Versions[i]
}

// withPort gives a worker that listens itself a port that no other one has.
func withPort(command string) (string, error) {
	if !strings.Contains(command, "{port}") {
		return command, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strings.ReplaceAll(command, "{port}", fmt.Sprint(l.Addr().(*net.TCPAddr).Port)), nil
}

// ready waits until the worker has asked for messages: it waits for some, or was given
// one at once.
func (w *world) ready(ctx context.Context, k *worker) error {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Ready)
	defer cancel()
	go func() { // ends the wait early when the process ends
		select {
		case <-k.process.exited:
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
		w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerReady, ForMS: time.Since(k.started).Milliseconds()})
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return w.notReady(k)
}

func (w *world) notReady(k *worker) *Problem {
	if k.process.hasExited() {
		return &Problem{
			What: fmt.Sprintf("a worker of version %q did not start: %v", w.plan.Version, exitText(k.process.err)),
			Hint: startHint(k.process.err, k.process.printed()), Output: tail(k.process.printed()),
		}
	}
	return &Problem{
		What: fmt.Sprintf("a worker of version %q did not ask the queue for messages within %s", w.plan.Version, w.Spec.Timeouts.Ready),
		Hint: "a replay needs long polling (WaitTimeSeconds over 0) from the addresses that environment names; raise timeouts.ready for a slow start", Output: tail(k.process.output.String()),
	}
}

// pause stops the worker's processes where they are; a held step stays held.
func (w *world) pause(k *worker) {
	k.paused = true
	k.process.signal(syscall.SIGSTOP)
	w.awaitPolls(k)
	w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerPaused})
}

// wake lets a paused worker and what is held go on.
func (w *world) wake(k *worker, t *trap) {
	w.goOn(k)
	t.release()
}

func (w *world) goOn(k *worker) {
	k.paused = false
	w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerWoken})
	k.process.signal(syscall.SIGCONT)
}
