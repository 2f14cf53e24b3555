package wire

import (
	"net"
	"sync"
	"time"
)

// cutAfter bounds how long a shut gate waits for a write that was let through
// and cannot leave because the other side does not read.
const cutAfter = time.Second

// guarded is a connection whose every Write asks the gate.
type guarded struct {
	net.Conn
	bytes   net.Conn // what its bytes go through: itself, or TLS over it
	gate    *Gate
	starts  Phase      // what the first byte of a step makes it
	leaving sync.Mutex // held while bytes leave
	due     *Crossing  // the step whose bytes come next; under the gate's lock
}

// Write lets the bytes go only when the gate is open. The decision is taken
// under the gate's lock and the bytes leave under this connection's own, so that
// one slow peer does not stop the others.
func (c *guarded) Write(p []byte) (int, error) {
	c.leaving.Lock()
	defer c.leaving.Unlock()
	if err := c.ask(); err != nil {
		return 0, err
	}
	return c.bytes.Write(p)
}

func (c *guarded) ask() error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	x := c.due
	c.due = nil
	if c.gate.isShut() {
		if x != nil && c.starts == Passed && !x.down {
			x.end(Lost, ErrShut.Error())
		}
		return ErrShut
	}
	if x != nil {
		x.start(c.starts)
	}
	return nil
}

func (x *Crossing) start(p Phase) {
	if p == Passed && !x.down {
		x.end(Passed, x.status)
		return
	}
	x.sent = true
	x.gate.note(x.step, Forwarded, "")
	if x.down && !x.awaits(After) {
		x.end(Passed, "") // and not at Finish: what the worker does with it comes later
	}
}

// awaitWrite waits until a write that was let through has left or been cut.
func (c *guarded) awaitWrite() {
	c.Conn.SetWriteDeadline(time.Now().Add(cutAfter))
	c.leaving.Lock()
	c.leaving.Unlock() //nolint:gocritic,staticcheck // waiting for the writer is the point
}

// Client is the worker's side of a connection.
type Client struct {
	guarded
	secured bool
}

// Client wraps a connection that the worker has made to a proxy.
func (g *Gate) Client(conn net.Conn) *Client {
	c := &Client{guarded: guarded{Conn: conn, bytes: conn, gate: g, starts: Passed}}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clients[c] = struct{}{}
	return c
}

// Close closes the connection; with RST when the gate is shut.
func (c *Client) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.clients, c)
	if c.due != nil {
		c.due.end(Lost, "client has gone")
	}
	c.gate.mu.Unlock()
	if c.gate.isShut() {
		reset(c.Conn)
		return nil
	}
	return c.bytes.Close()
}

func (c *Client) Read(p []byte) (int, error) { return c.bytes.Read(p) }

// Reset closes the connection with RST.
func (c *Client) Reset() { reset(c.Conn) }

// reset may come to a connection that is closed already; then there is nothing
// left to do.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
