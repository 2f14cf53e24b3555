package amqpwire

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// The frames by which a connection is closed: reply code 200, no text, no method; and the
// answer.
const (
	closeFrame   = "\x01\x00\x00\x00\x00\x00\x0b\x00\x0a\x00\x32\x00\xc8\x00\x00\x00\x00\x00\xce"
	closeOKFrame = "\x01\x00\x00\x00\x00\x00\x04\x00\x0a\x00\x33\xce"
)

// closeLimit bounds the sending of one frame.
const closeLimit = time.Second

// ending is a connection to the broker whose end comes when the broker has put back what
// the worker had. By itself the broker closes the socket first: who counts when that ends,
// or starts the next worker, may be too early, and an acknowledgement that came right
// before the end may be forgotten.
type ending struct {
	net.Conn // alone: a WriteTo of *net.TCPConn would pass Read by
	tcp      *net.TCPConn

	mu     sync.Mutex
	state  state
	closed bool     // by the proxy: it reads on for the end alone
	sent   boundary // of what the broker was sent
	tail   []byte   // the last bytes that it said
}

// state is how far the connection has come.
type state int

const (
	logsIn  state = iota
	opened        // the broker has channels of it to close
	closing       // one side has asked to close
	over          // and was answered, or needs no answer of the broker
)

func newEnding(conn *net.TCPConn) *ending {
	return &ending{Conn: conn, tcp: conn, sent: boundary{left: len(greeting)}}
}

// become notes what the frames have said.
func (e *ending) become(s state) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = max(e.state, s)
}

func (e *ending) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, net.ErrClosed
	}
	if e.state == opened && e.sent.isBetween() && isClose(p) {
		e.state = closing
	}
	n, err := e.Conn.Write(p)
	e.sent.pass(p[:n])
	return n, err
}

// isClose says that the worker closes the connection itself.
func isClose(p []byte) bool {
	return len(p) > frameHead+4 && bytes.Equal(p[:3], []byte(closeFrame[:3])) && methodOf(frame{p}) == connectionClose
}

// CloseWrite asks the broker to close the connection, and ends it by the answer. Within a
// frame, or before there is anything to put back, it ends it at once.
func (e *ending) CloseWrite() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	switch {
	case e.state == closing:
		return nil
	case e.state == opened && e.sent.isBetween():
		e.state = closing
		e.Conn.SetWriteDeadline(time.Now().Add(closeLimit))
		if _, err := e.Conn.Write([]byte(closeFrame)); err == nil {
			return nil
		}
	}
	return e.tcp.CloseWrite()
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tail = append(e.tail, p[max(0, n-len(closeOKFrame)):n]...)
	e.tail = e.tail[max(0, len(e.tail)-len(closeOKFrame)):]
	if e.state == closing && string(e.tail) == closeOKFrame {
		e.state = over
		if e.closed {
			_ = e.tcp.CloseWrite() // fails when the broker has gone, which is the end too
		}
	}
	return n, err
}

// boundary follows frames that are sent in pieces.
type boundary struct {
	head []byte // of the frame under way
	left int    // to come after its head
}

// isBetween says that the last frame is at its end.
func (b *boundary) isBetween() bool { return len(b.head) == 0 && b.left == 0 }

func (b *boundary) pass(p []byte) {
	for len(p) > 0 {
		if b.left > 0 {
			n := min(b.left, len(p))
			b.left -= n
			p = p[n:]
			continue
		}
		n := min(frameHead-len(b.head), len(p))
		b.head = append(b.head, p[:n]...)
		p = p[n:]
		if len(b.head) == frameHead {
			b.left = int(binary.BigEndian.Uint32(b.head[3:])) + 1
			b.head = b.head[:0]
		}
	}
}
