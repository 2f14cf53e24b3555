package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// startNext starts the worker that the message comes to past the lease. Where its writes to
// files are to be seen it gets the message only afterwards, from whoever has attached to it.
func (w *world) startNext(ctx context.Context, arm func(*worker)) (*worker, error) {
	if !w.filesSeen {
		if err := w.pass(ctx, w.past()); err != nil {
			return nil, err
		}
	}
	return w.startVersion(ctx, w.plan.Version, arm)
}

// hear lets the next worker come to its end, and keeps what it says.
func (w *world) hear(ctx context.Context, op operation) error {
	t := &trace{}
	t.restart()
	k, err := w.startNext(ctx, func(k *worker) { k.trace = t })
	if err != nil {
		return err
	}
	unwatch, err := w.watchFiles(ctx, k)
	if err != nil {
		return err
	}
	defer unwatch()
	if w.filesSeen {
		if err := w.pass(ctx, w.past()); err != nil {
			return err
		}
	}
	if err := w.end(ctx, op); err != nil {
		return err
	}
	unwatch() // what it saw has been told by then
	w.heard = w.noise.without(t.recorded())
	return nil
}

// secondKill tells the one of a redelivery from the one before it.
const secondKill = "the second kill"

// killAgain kills the next worker at a place of the redelivery, if it comes to it.
func (w *world) killAgain(ctx context.Context, p place) (struck bool, err error) {
	inFile := p.step.Protocol == protocolFile
	var f fault
	release := func() {}
	k, err := w.startNext(ctx, func(k *worker) {
		if !inFile {
			armed := w.arm(k, p, wire.Kill)
			f, release = armed, armed.Release
		}
	})
	if err == nil && inFile {
		f, release, err = w.trapFile(ctx, k, p.step, true)
	}
	if err != nil {
		return false, err
	}
	defer release()
	if w.filesSeen {
		if err := w.pass(ctx, w.past()); err != nil {
			return false, err
		}
	}
	if struck, err = w.struckOrAtRest(ctx, f); err != nil || !struck {
		return false, err
	}
	w.history.add(judge.Event{Event: judge.EventFault, Worker: k.name, Fired: true, Step: f.Step().String(), Detail: secondKill})
	if err := w.quiet(ctx, k); err != nil {
		return true, err
	}
	return true, w.reopen()
}
