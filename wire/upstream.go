package wire

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// Upstream is a proxy's connection to the peer.
type Upstream struct {
	guarded
	ended   chan struct{} // closed when the peer has ended the connection
	closing chan struct{}
	once    sync.Once
	reading sync.Mutex // held while a Read waits
	carries *Crossing  // the step not answered yet; under the gate's lock
}

// Upstream wraps a connection to the peer. The proxy must Close it.
func (g *Gate) Upstream(conn net.Conn) *Upstream {
	u := &Upstream{
		guarded: guarded{Conn: conn, bytes: conn, gate: g, starts: Forwarded},
		ended:   make(chan struct{}), closing: make(chan struct{}),
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.peers[u] = struct{}{}
	return u
}

func (u *Upstream) Read(p []byte) (int, error) {
	u.reading.Lock()
	defer u.reading.Unlock()
	if isClosed(u.closing) {
		return 0, net.ErrClosed
	}
	return u.Conn.Read(p)
}

// IsIdle tells, of a connection that nobody reads, whether it can be used once more: it is
// open, and nothing has come from the peer that nobody has asked for, not even its end.
func (u *Upstream) IsIdle() (idle bool) {
	with, ok := u.Conn.(syscall.Conn)
	if !ok || isClosed(u.closing) {
		return false
	}
	raw, err := with.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Read(func(fd uintptr) bool {
		var unasked [1]byte
		_, err := syscall.Read(int(fd), unasked[:])
		idle = errors.Is(err, syscall.EAGAIN)
		return true // do not wait for more
	})
	return idle && err == nil
}

// Close sends FIN and returns; the connection stays with the gate until the peer
// has ended it. Reset instead, and nobody could tell when the peer is done.
func (u *Upstream) Close() error {
	u.once.Do(func() {
		close(u.closing)
		u.Conn.SetDeadline(time.Unix(1, 0)) // wakes a waiting Read or Write
		u.reading.Lock()
		u.Conn.SetReadDeadline(time.Time{})
		u.reading.Unlock()
		if half, ok := u.Conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // fails when the peer has gone: drain sees that too
		}
		go u.drain()
	})
	return nil
}

// drain reads what still comes, for nobody, until the peer's own end.
func (u *Upstream) drain() {
	_, _ = io.Copy(io.Discard, u.Conn) // any error ends the connection
	u.Conn.Close()
	g := u.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.peers, u)
	close(u.ended)
	if x := u.carries; x != nil && x.ended { // or the proxy has yet to say so
		delete(g.work, x)
	}
	g.wake()
}
