package guardpgx

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// cut is what a tap does to the next request of a connection, and only that one.
type cut int32

const (
	noCut         cut = iota
	beforeRequest     // the server never sees it
	afterReply        // the server has answered all of it, the client sees nothing
	afterTag          // the client sees all of the answer but the last message, ReadyForQuery
)

// tap stands between pgx and the server, on the bytes of every connection of a
// pool. A request is what ends with a Sync or is a Query: each is a round trip.
type tap struct {
	requests atomic.Int64
	next     atomic.Int32 // a cut
	cuts     atomic.Int64 // that were made
}

func (t *tap) arm(c cut) { t.next.Store(int32(c)) }

func (t *tap) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &tappedConn{Conn: c, tap: t}, nil
}

type tappedConn struct {
	net.Conn
	tap     *tap
	partial []byte // of a message of the client
	started bool

	mu      sync.Mutex
	pending cut // for the reply
	reply   bytes.Buffer
	over    bool
}

func (c *tappedConn) Write(b []byte) (int, error) {
	requests := c.count(b)
	c.tap.requests.Add(int64(requests))
	if requests > 0 {

		switch how := cut(c.tap.next.Swap(int32(noCut))); how {
		case beforeRequest:
			c.tap.cuts.Add(1)
			return len(b), c.Close()
		case afterReply, afterTag:
			c.mu.Lock()
			c.pending = how
			c.mu.Unlock()
		}
	}
	return c.Conn.Write(b)
}

// count finds the requests in what the client writes.
func (c *tappedConn) count(b []byte) (n int) {
	c.partial = append(c.partial, b...)
	for {
		header := 5
		if !c.started {
			header = 4 // the first message has no type
		}
		if len(c.partial) < header {
			return n
		}
		end := header - 4 + int(binary.BigEndian.Uint32(c.partial[header-4:]))
		if len(c.partial) < end {
			return n
		}
		if kind := c.partial[0]; c.started && (kind == 'S' || kind == 'Q') {
			n++
		}
		c.partial, c.started = c.partial[end:], true
	}
}

func (c *tappedConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	how := c.pending
	c.mu.Unlock()
	switch {
	case c.reply.Len() > 0:
		return c.reply.Read(b)
	case c.over:
		return 0, io.EOF
	case how == noCut:
		return c.Conn.Read(b)
	}
	if err := c.readReply(); err != nil {
		return 0, err
	}
	c.over = true
	c.tap.cuts.Add(1)
	_ = c.Conn.Close()
	if how == afterReply {
		c.reply.Reset()
		return 0, io.EOF
	}
	return c.reply.Read(b)
}

const readyForQuery = 6 // bytes

// readReply reads up to the server's ReadyForQuery and keeps all but that.
func (c *tappedConn) readReply() error {
	for {
		all := c.reply.Bytes()
		if n := len(all) - readyForQuery; n >= 0 && bytes.Equal(all[n:n+5], []byte{'Z', 0, 0, 0, 5}) {
			c.reply.Truncate(n)
			return nil
		}
		part := make([]byte, 4096)
		n, err := c.Conn.Read(part)
		if err != nil {
			return err
		}
		c.reply.Write(part[:n])
	}
}
