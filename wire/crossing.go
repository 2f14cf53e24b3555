package wire

// Crossing is one step on its way through the gate. A proxy calls, in this
// order: Enter, Through, and then Reply, Finish or Lost; or, for what comes from the
// peer: Deliver, Onward, and then Finish or Lost.
type Crossing struct {
	gate   *Gate
	step   Step
	client *Client
	faults []*Armed

	// Under the gate's lock.
	peer   *Upstream
	down   bool // a delivery: it goes from the peer to the worker
	sent   bool
	ended  bool
	status string
}

// Enter brings a step to the gate once its request has been read whole, and
// waits while a fault holds it. Only when the error is nil may the request go
// upstream.
func (g *Gate) Enter(client *Client, protocol, peer, text string) (*Crossing, error) {
	return g.arrive(client, Step{Protocol: protocol, Peer: peer, Text: text}).enter()
}

func (x *Crossing) enter() (*Crossing, error) {
	if err := x.meet(Before); err != nil {
		return nil, err
	}
	g := x.gate
	g.mu.Lock()
	if !g.isShut() {
		g.work[x] = struct{}{}
		g.mu.Unlock()
		return x, nil
	}
	g.mu.Unlock()
	x.abandon("")
	return nil, ErrShut
}

// arrive numbers the step, records it, and picks its faults.
func (g *Gate) arrive(client *Client, s Step) *Crossing {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count[s]++
	s.Nth = g.count[s.unnumbered()]
	x := &Crossing{gate: g, step: s, client: client}
	g.steps[x] = struct{}{}
	g.note(s, Request, "")
	for _, a := range g.armed {
		if a.meets(s) {
			x.faults = append(x.faults, a)
		}
	}
	return x
}

func (s Step) unnumbered() Step {
	s.Nth = 0
	return s
}

// Step is the step that crosses.
func (x *Crossing) Step() Step { return x.step }

// Through names the connection that carries the request. Its next byte makes the
// step forwarded.
func (x *Crossing) Through(u *Upstream) {
	x.gate.mu.Lock()
	defer x.gate.mu.Unlock()
	x.peer, u.due, u.carries = u, x, x
}

// Reply says that the peer's reply has been read whole, and waits while a fault
// holds it. Only when the error is nil may it be passed on; the next byte to the
// client makes the step passed.
func (x *Crossing) Reply(status string) error {
	x.answered(status, true)
	if err := x.meet(After); err != nil {
		return err
	}
	g := x.gate
	g.mu.Lock()
	if !g.isShut() {
		x.client.due = x
		g.mu.Unlock()
		return nil
	}
	g.mu.Unlock()
	x.abandon("")
	return ErrShut
}

func (x *Crossing) answered(status string, heard bool) {
	x.gate.mu.Lock()
	defer x.gate.mu.Unlock()
	x.status = status
	if heard {
		x.gate.note(x.step, Reply, status)
	}
	if x.peer.carries == x {
		x.peer.carries = nil
	}
	delete(x.gate.work, x)
	x.gate.wake()
}

// Lost says that no reply will come, and why. The proxy has closed the upstream
// connection before; the step stays in work until the peer has ended it too.
func (x *Crossing) Lost(why string) { x.abandon(why) }

// abandon ends a step that may not go on. When the gate is shut the client hears
// of it only after the kill, so that a thread which still runs cannot act on it.
func (x *Crossing) abandon(why string) {
	g := x.gate
	g.mu.Lock()
	if g.isShut() {
		why = ErrShut.Error()
	}
	if x.peer == nil || x.down || isClosed(x.peer.ended) {
		delete(g.work, x)
	}
	if x.sent {
		x.end(Lost, why)
	} else {
		x.end(Refused, why)
	}
	g.mu.Unlock()
	if g.isShut() {
		<-g.over
	}
	x.client.Reset()
}

// end records the step's end, once. Under the gate's lock.
func (x *Crossing) end(p Phase, status string) {
	if !x.ended {
		x.ended = true
		delete(x.gate.steps, x)
		x.gate.note(x.step, p, status)
		x.gate.wake()
	}
}
