package wire

import "slices"

// meet lets the step's faults of one side strike, until one ends the step.
func (x *Crossing) meet(side Side) error {
	for _, a := range x.faults {
		if a.fault.Side != side {
			continue
		}
		if err := x.strike(a); err != nil {
			return err
		}
	}
	return nil
}

// awaits says whether a fault of this side is set.
func (x *Crossing) awaits(side Side) bool {
	return slices.ContainsFunc(x.faults, func(a *Armed) bool { return a.fault.Side == side })
}

// strike carries a fault out, unless the gate has shut or the fault has been
// disarmed meanwhile. From that decision to the shutting of the gate the lock is
// not released: two kills cannot both happen.
func (x *Crossing) strike(a *Armed) error {
	g := x.gate
	g.mu.Lock()
	if g.isShut() || a.disarmed {
		g.mu.Unlock()
		return nil // Enter and Reply look at the gate themselves
	}
	a.struck, a.step = true, x.step
	switch a.fault.Do {
	case Kill:
		return x.kill(a)
	case Drop:
		return x.drop(a)
	default:
		return x.hold(a)
	}
}

func (x *Crossing) hold(a *Armed) error {
	x.gate.note(x.step, Held, x.status)
	x.gate.mu.Unlock()
	close(a.fired)
	select {
	case <-a.released:
	case <-x.gate.shut:
	}
	return nil
}

func (x *Crossing) kill(a *Armed) error {
	g := x.gate
	g.bar()
	x.end(Killed, x.status)
	g.mu.Unlock()
	g.awaitWrites()
	if a.fault.Kill != nil {
		a.fault.Kill()
	}
	g.end()
	close(a.fired)
	return ErrShut
}

func (x *Crossing) drop(a *Armed) error {
	x.end(Dropped, x.status)
	peer := x.peer
	x.gate.mu.Unlock()
	x.client.Reset()
	if peer != nil {
		peer.Close()
	}
	close(a.fired)
	return ErrDropped
}
