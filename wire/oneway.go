package wire

// Deliver brings to the gate what the peer gives the worker by itself, or as the answer
// to a long poll, once it has been read whole, and waits while a fault holds it: Before
// is before the worker has any of it. Only when the error is nil may it go on: by Onward,
// the bytes, and Finish.
func (g *Gate) Deliver(client *Client, from *Upstream, protocol, peer, text string) (*Crossing, error) {
	x := g.arrive(client, Step{Protocol: protocol, Peer: peer, Text: text})
	g.mu.Lock()
	x.peer, x.down = from, true
	g.mu.Unlock()
	return x.enter()
}

// Onward says that the delivery's bytes come next. The first one makes the step
// forwarded.
func (x *Crossing) Onward() {
	x.gate.mu.Lock()
	defer x.gate.mu.Unlock()
	x.client.due = x
}

// Finish ends a step of which nothing goes to the worker any more: the request is one
// that is not answered, and has left; the delivery has been passed on; or the reply goes
// on as a delivery. It waits while a fault holds it: After is here. When the error is not
// nil, the connection is over. The status may be empty.
func (x *Crossing) Finish(status string) error {
	x.answered(status, status != "")
	if err := x.meet(After); err != nil {
		return err
	}
	g := x.gate
	g.mu.Lock()
	if !g.isShut() {
		x.end(Passed, status)
		g.mu.Unlock()
		return nil
	}
	g.mu.Unlock()
	x.abandon("")
	return ErrShut
}
