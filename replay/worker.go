package replay

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/jobfile"
	labsqs "github.com/twiceproof/twiceproof/lab/sqs"
	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// What a history says of a worker.
const (
	workerReady  = "ready"
	workerKilled = "killed"
	workerFailed = "ended_by_itself"
)

// worker is one worker process behind proxies of its own. All its connections
// pass one gate.
type worker struct {
	name    string
	gate    *wire.Gate
	proxies []*httpwire.Proxy
	process *process
	killed  atomic.Bool
	polls   int // long polls that it has open when it is idle, as far as was seen
}

// startWorker starts a worker of the case's code version and waits until it asks
// the queue for messages. A fault may be armed from the start.
func (w *world) startWorker(ctx context.Context, fault *faultPoint) (*worker, *wire.Armed, error) {
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
		armed = k.gate.Arm(w.killAt(k, fault))
	}
	if err := w.launch(k, a); err != nil {
		k.closeProxies()
		return nil, nil, err
	}
	w.workers = append(w.workers, k)
	return k, armed, w.ready(ctx, k)
}

func (w *world) listen(k *worker) (addresses, error) {
	toQueue, err := httpwire.Listen(k.gate, sqs.Peer, w.queue.URL(), sqs.StepName, map[string]string{"X-Twiceproof-Worker": k.name})
	if err != nil {
		return addresses{}, err
	}
	k.proxies = append(k.proxies, toQueue)
	toOutside, err := httpwire.Listen(k.gate, peerOutside, w.outside.URL(), nil, nil)
	if err != nil {
		return addresses{}, err
	}
	k.proxies = append(k.proxies, toOutside)
	return addresses{
		database: w.address, queue: w.queueURL, broker: toQueue.URL(), outside: toOutside.URL(),
		jobFile: w.jobFile(), refuse: w.refuse.URL(),
	}, nil
}

func (w *world) launch(k *worker, a addresses) (err error) {
	v := w.version()
	command, err := withPort(w.fill(v.Run))
	if err != nil {
		return err
	}
	k.process, err = startProcess(command, w.Spec.Resolve("."), environment(w.Environ, w.Spec, a))
	return err
}

func (w *world) version() jobfile.CodeVersion {
	i := slices.IndexFunc(w.Spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name == w.plan.Version })
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

// killAt makes the fault that kills the worker at a point.
func (w *world) killAt(k *worker, at *faultPoint) wire.Fault {
	match := at.match
	if match == nil {
		match = w.isEffect
	}
	return wire.Fault{Match: match, Side: at.side, Do: wire.Kill, Kill: func() { w.killed(k) }}
}

func (w *world) killed(k *worker) {
	k.killed.Store(true)
	k.process.kill()
	w.history.add(Event{Event: EventWorker, Worker: k.name, What: workerKilled})
}

// awaitFault waits until the worker is dead where it was meant to die, and until
// the peers are done with what it had sent. It is no error that it did not
// happen: the verdict is unknown then.
func (w *world) awaitFault(ctx context.Context, k *worker, a *wire.Armed) error {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	select {
	case <-a.Fired():
	case <-k.process.exited:
	case <-limited.Done():
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !a.Disarm() {
		w.history.add(Event{Event: EventFault, Worker: k.name, Detail: fmt.Sprintf("not reached within %s", w.Spec.Timeouts.Step)})
		return nil
	}
	<-a.Fired()
	w.history.add(Event{Event: EventFault, Worker: k.name, Fired: true, Step: a.Step().String(), Detail: w.plan.Fault})
	return w.quiet(ctx, k)
}

func (w *world) quiet(ctx context.Context, k *worker) error {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	if err := k.gate.Quiet(limited); err != nil && ctx.Err() == nil {
		w.history.add(Event{Event: EventTimeout, Worker: k.name, Detail: "a peer was not done with the dead worker: " + err.Error()})
	}
	return context.Cause(ctx)
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
