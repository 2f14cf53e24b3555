package wire

// Side is where in a step a fault strikes.
type Side int

// The sides.
const (
	// Before: the request has been read whole and is not forwarded.
	Before Side = iota
	// After: the reply has been read whole and is not passed on.
	After
)

func (s Side) String() string {
	if s == After {
		return "after"
	}
	return "before"
}

// Action is what a fault does.
type Action int

// The actions.
const (
	// Hold keeps the step where it is until Release, or until the gate shuts.
	Hold Action = iota
	// Kill shuts the gate, calls Fault.Kill, and then closes every connection.
	Kill
	// Drop closes this one connection both ways, with RST towards the worker,
	// which lives on.
	Drop
)

func (a Action) String() string {
	return [...]string{"hold", "kill", "drop"}[a]
}

// Fault is what to do where.
type Fault struct {
	// Match picks the steps. It is called under the gate's lock: a pure function
	// of the step that asks the gate nothing.
	Match func(Step) bool
	// Nth counts the matching requests since arming; 1, or 0, is the first.
	Nth  int
	Side Side
	Do   Action
	// Kill ends the worker's process group and waits for its exit. By the time it
	// is called the gate is shut. Only under the action Kill.
	Kill func()
}

// Armed is a fault that waits for its step.
type Armed struct {
	gate     *Gate
	fault    Fault
	fired    chan struct{}
	released chan struct{}

	// Under the gate's lock.
	matched  int
	struck   bool
	disarmed bool
	step     Step
}

// Arm sets a fault. Faults that meet at one step and side strike in the order
// in which they were armed, until one of them ends the step.
func (g *Gate) Arm(f Fault) *Armed {
	a := &Armed{gate: g, fault: f, fired: make(chan struct{}), released: make(chan struct{})}
	a.fault.Nth = max(f.Nth, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = append(g.armed, a)
	return a
}

// Fired is closed when the fault has taken full effect: the step is held, the
// connection is reset, or the worker is dead and its connections are closed.
// What the peers still have in work then, Quiet waits for.
func (a *Armed) Fired() <-chan struct{} { return a.fired }

// Step is where the fault fired. Only after Fired.
func (a *Armed) Step() Step {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	return a.step
}

// Release lets a held step go on, even when its client has gone meanwhile: the
// request was sent, and the network delivers it late. A step released before it
// is held will not wait.
func (a *Armed) Release() {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	select {
	case <-a.released:
	default:
		close(a.released)
	}
}

// Disarm takes the fault away unless it has struck, and says whether it has. A
// fault that has struck goes on: wait for Fired, and Release what is held.
func (a *Armed) Disarm() (fired bool) {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	a.disarmed = true
	return a.struck
}

// meets counts the step when it matches, and says whether it is the fault's own.
// Under the gate's lock.
func (a *Armed) meets(s Step) bool {
	if a.struck || a.disarmed || a.matched >= a.fault.Nth || !a.fault.Match(s) {
		return false
	}
	a.matched++
	return a.matched == a.fault.Nth
}
