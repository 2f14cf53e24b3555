package replay

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// fault is one that is set at a place.
type fault interface {
	Fired() <-chan struct{} // closed when it has taken full effect
	Disarm() (struck bool)
	Step() wire.Step
}

// set sets the place's fault. The function that comes with it lets go of what it holds.
func (w *world) set(ctx context.Context, k *worker, p place) (f fault, release func(), err error) {
	if p.step.Protocol == protocolFile {
		return w.trapFile(ctx, k, p.step, w.Rung != judge.Pause)
	}
	do := wire.Kill
	switch w.Rung {
	case judge.Cut:
		do = wire.Drop
	case judge.Pause:
		do = wire.Hold
	}
	k.gate.Reset()
	armed := w.arm(k, p, do)
	return armed, armed.Release, nil
}

func (w *world) arm(k *worker, p place, do wire.Action) *wire.Armed {
	return k.gate.Arm(wire.Fault{
		Match: func(s wire.Step) bool { return s == p.step }, Side: p.side, Do: do, Kill: func() { w.kill(k) },
	})
}

// struckOrAtRest waits for whichever comes first.
func (w *world) struckOrAtRest(ctx context.Context, f fault) (struck bool, err error) {
	either, cancel := context.WithCancel(ctx)
	defer cancel()
	rested := make(chan error, 1)
	go func() { rested <- w.rest(either) }()
	select {
	case <-f.Fired():
		cancel()
		<-rested //nolint:errcheck // with nobody alive there is no rest
	case err = <-rested:
		awaitBeside(ctx, f)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if struck = f.Disarm(); struck {
		<-f.Fired()
		err = nil
	}
	return struck, err
}

// awaitBeside: what a worker does beside its delivery may come when it has asked for more
// already. Counter-example: the guard's count of repeats, a goroutine of its own.
func awaitBeside(ctx context.Context, f fault) {
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	select {
	case <-f.Fired():
	case <-limited.Done():
	}
}
