package httpwire

import (
	"bufio"
	"context"
	"net"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// line is a connection of the worker, and the one to the peer that belongs to it: kept as
// long as both sides keep theirs, as if there were no proxy between.
type line struct {
	*wire.Client
	mu     sync.Mutex
	closed bool
	kept   *peer // nil: none
}

// peer is a connection to it.
type peer struct {
	*wire.Upstream
	replies  *bufio.Reader
	requests *bufio.Writer
}

// open gives the connection that is kept, if the peer has not ended it, or a new one. Who
// asks has it alone until it is kept again.
func (l *line) open(ctx context.Context, gate *wire.Gate, host string) (*peer, error) {
	l.mu.Lock()
	kept := l.kept
	l.kept = nil
	l.mu.Unlock()
	if kept != nil {
		if kept.IsIdle() {
			return kept, nil
		}
		kept.Close()
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	up := gate.Upstream(conn)
	return &peer{up, bufio.NewReader(up), bufio.NewWriter(up)}, nil
}

// keep has it for the next request, unless that cannot come any more.
func (l *line) keep(up *peer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		up.Close()
		return
	}
	l.kept = up
}

// Close ends both connections.
func (l *line) Close() error {
	l.mu.Lock()
	l.closed = true
	if l.kept != nil {
		l.kept.Close()
		l.kept = nil
	}
	l.mu.Unlock()
	return l.Client.Close()
}
