package replay

import (
	"context"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
)

func exitText(err error) string {
	if err == nil {
		return "it ended with status 0"
	}
	return err.Error()
}

// kill waits for a process that is just being started. A worker whose message is there
// already may be struck before whoever has started it is told that it has.
func (w *world) kill(k *worker) {
	k.killed.Store(true)
	if <-k.launched; k.process != nil {
		k.process.Kill()
	}
	w.endLeft()
	w.queue.Dead(k.name)
	w.history.add(judge.Event{Event: judge.EventWorker, Worker: k.name, What: judge.WorkerKilled})
}

// endLeft ends what workers have left behind: daemons, whose parent is this process now.
func (w *world) endLeft() {
	folder := ""
	if w.Slots > 1 { // the children of this process are also those of the other slots
		folder = w.folder
	}
	if names := process.EndOrphans(w.before, folder); len(names) > 0 {
		w.history.add(judge.Event{Event: judge.EventOutlived, Detail: strings.Join(names, ", ")})
	}
}

// quiet waits until the peers are done with a worker that is dead.
func (w *world) quiet(ctx context.Context, k *worker) error {
	limited, cancel := context.WithTimeout(ctx, w.Spec.Timeouts.Step)
	defer cancel()
	if err := k.gate.Quiet(limited); err != nil && ctx.Err() == nil {
		w.history.add(judge.Event{Event: judge.EventTimeout, Worker: k.name, Detail: "a peer was not done with the dead worker: " + err.Error()})
	}
	return context.Cause(ctx)
}

func (k *worker) alive() bool { return !k.killed.Load() && !k.process.HasExited() }

func (k *worker) close() {
	if k.process != nil {
		k.gate.Shut()
		k.process.Kill()
	}
	k.closeProxies()
}

func (k *worker) closeProxies() {
	k.closing.Do(func() {
		for _, p := range k.proxies {
			p.Close()
		}
		k.gate.Close()
	})
}
