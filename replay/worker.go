package replay

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/twiceproof/twiceproof/jobfile"
	labsqs "github.com/twiceproof/twiceproof/lab/sqs"
	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
	"github.com/twiceproof/twiceproof/wire/pgwire"
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
)

// worker is one worker process behind proxies of its own. All its connections
// pass one gate.
type worker struct {
	name    string
	gate    *wire.Gate
	proxies []proxy
	process *process
	killed  atomic.Bool
	paused  bool
	polls   int // long polls that it has open when it is idle, as far as was seen
}

// proxy is one way of a worker to a peer.
type proxy interface{ Close() }

// startWorker starts a worker of the case's code version and waits until it asks
// the queue for messages.
func (w *world) startWorker(ctx context.Context) (*worker, error) {
	k, _, err := w.startArmed(ctx, w.plan.Version, nil)
	return k, err
}

// startArmed starts a worker of a code version with a fault armed from the start.
func (w *world) startArmed(ctx context.Context, version string, fault func(*worker) wire.Fault) (*worker, *wire.Armed, error) {
	k := &worker{name: string(rune('A' + len(w.workers)))}
	k.gate = wire.NewGate(func(e wire.Event) {
		w.history.add(Event{Event: EventStep, Worker: k.name, What: string(e.Phase), Step: e.Step.String(), Detail: e.Status})
	})
	a, err := w.listen(k)
	if err != nil {
		k.closeProxies()
		return nil, nil, err
	}
	var armed *wire.Armed
	if fault != nil {
		armed = k.gate.Arm(fault(k))
	}
	if err := w.launch(k, version, a); err != nil {
		k.closeProxies()
		return nil, nil, err
	}
	w.workers = append(w.workers, k)
	return k, armed, w.ready(ctx, k)
}

// listen makes the worker's own proxies. What has no wire is told as it is.
func (w *world) listen(k *worker) (addresses, error) {
	a := addresses{database: w.address, queue: w.queueURL, jobFile: w.jobFile(), refuse: w.refuse.URL()}
	toQueue, err := httpwire.Listen(k.gate, sqs.Peer, w.queue.URL(), sqs.StepName, map[string]string{"X-Twiceproof-Worker": k.name})
	if err != nil {
		return a, err
	}
	k.proxies, a.broker = append(k.proxies, toQueue), toQueue.URL()
	if w.outside != nil {
		toOutside, err := httpwire.Listen(k.gate, peerOutside, w.outside.URL(), nil, nil)
		if err != nil {
			return a, err
		}
		k.proxies, a.outside = append(k.proxies, toOutside), toOutside.URL()
	}
	if w.postgres != nil {
		address, err := url.Parse(w.address)
		if err != nil {
			return a, err
		}
		toDatabase, err := pgwire.Listen(k.gate, peerDatabase, address.Host)
		if err != nil {
			return a, err
		}
		address.Host = toDatabase.Addr()
		k.proxies, a.database = append(k.proxies, toDatabase), address.String()
	}
	return a, nil
}

func (w *world) launch(k *worker, version string, a addresses) (err error) {
	v := w.version(version)
	command, err := withPort(w.fill(v.Run))
	if err != nil {
		return err
	}
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

// ready waits until the worker has asked for messages: its first long poll waits, or
// was answered at once.
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
	err := w.queue.Wait(limited, queueName, func(s labsqs.Snapshot) bool {
		return k.gate.InFlight(sqs.IsReceive) > 0 ||
			slices.ContainsFunc(s.Events, func(e labsqs.Event) bool { return e.Kind == labsqs.Received && e.Client == k.name })
	})
	switch {
	case err == nil:
		w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerReady})
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case k.process.hasExited():
		return &Problem{
			What: fmt.Sprintf("a worker of version %q did not start: %v", w.plan.Version, exitText(k.process.err)),
			Hint: startHint(k.process.output.String()), Output: tail(k.process.output.String(), 20),
		}
	}
	return &Problem{
		What: fmt.Sprintf("a worker of version %q did not ask the queue for messages within %s", w.plan.Version, w.Spec.Timeouts.Ready),
		Hint: "a replay needs long polling (WaitTimeSeconds over 0) from the addresses that environment names; raise timeouts.ready for a slow start", Output: tail(k.process.output.String(), 20),
	}
}

func exitText(err error) string {
	if err == nil {
		return "it ended with status 0"
	}
	return err.Error()
}

func startHint(printed string) string {
	if strings.Contains(strings.ToLower(printed), "address already in use") {
		return "another program has that port, or two workers of this replay share it: write {port} in the run command to give each its own"
	}
	return "start it by hand with the run command of the replay file; the variables under environment carry the addresses"
}

// faultAt makes the case's fault: at its point, do this.
func (w *world) faultAt(do wire.Action) func(*worker) wire.Fault {
	at := theCase(w.plan).at
	return func(k *worker) wire.Fault {
		return wire.Fault{
			Match: func(s wire.Step) bool { return at.match(w, s) },
			Side:  at.side, Do: do, Kill: func() { w.kill(k) },
		}
	}
}

func (w *world) kill(k *worker) {
	k.killed.Store(true)
	k.process.kill()
	w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerKilled})
}

// awaitFault waits until the fault has struck where it was meant to. It is no error
// that it did not: the verdict is unknown then.
func (w *world) awaitFault(ctx context.Context, k *worker, a *wire.Armed) (fired bool, err error) {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	select {
	case <-a.Fired():
	case <-k.process.exited:
	case <-limited.Done():
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if !a.Disarm() {
		w.history.add(Event{Event: EventFault, Worker: k.name, Detail: fmt.Sprintf("not reached within %s", w.Spec.Timeouts.Step)})
		return false, nil
	}
	<-a.Fired()
	w.history.add(Event{Event: EventFault, Worker: k.name, Fired: true, Step: a.Step().String(), Detail: w.plan.Fault})
	return true, nil
}

// quiet waits until the peers are done with a worker that is dead.
func (w *world) quiet(ctx context.Context, k *worker) error {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	if err := k.gate.Quiet(limited); err != nil && ctx.Err() == nil {
		w.history.add(Event{Event: EventTimeout, Worker: k.name, Detail: "a peer was not done with the dead worker: " + err.Error()})
	}
	return context.Cause(ctx)
}

// pause stops the worker's processes where they are; a held step stays held.
func (w *world) pause(k *worker) {
	k.paused = true
	k.process.signal(syscall.SIGSTOP)
	w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerPaused})
}

// wake lets a paused worker and the step that is held go on.
func (w *world) wake(k *worker, a *wire.Armed) {
	k.paused = false
	w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerWoken})
	k.process.signal(syscall.SIGCONT)
	a.Release()
}

func (k *worker) alive() bool { return !k.killed.Load() && !k.process.hasExited() }

func (k *worker) close() {
	if k.process != nil {
		k.gate.Shut()
		k.process.kill()
	}
	k.closeProxies()
}

func (k *worker) closeProxies() {
	for _, p := range k.proxies {
		p.Close()
	}
	k.gate.Close()
}
