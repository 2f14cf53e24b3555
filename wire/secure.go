package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
)

// Offer lets the worker have TLS on its way to a peer, whose proxy ends it. It is for the
// proxies that begin to listen afterwards, and is not called beside them. Without it TLS is
// declined.
func (g *Gate) Offer(peer string, config *tls.Config) { g.offers[peer] = config }

// ErrDeclined is that a worker which wants TLS was not offered it.
var ErrDeclined = errors.New("the worker wants TLS, which it is not offered")

// TLSError is that the worker and the proxy did not come to TLS. A client that does not trust
// the authority says so, or merely goes; OpenSSL says it in clear text in TLS 1.3, which here
// is a "bad record MAC". A worker that was killed in its handshake has gone, too.
type TLSError struct{ Err error }

func (e *TLSError) Error() string { return fmt.Sprintf("TLS with the worker: %v", e.Err) }

func (e *TLSError) Unwrap() error { return e.Err }

// Secure ends the worker's TLS here: from now on Read and Write have what is within. Nobody
// else may use the connection meanwhile. What TLS says by itself, such as its handshake, is
// no step and asks no gate: it has nothing of the peer in it, and a shut gate resets the
// connection below it.
func (c *Client) Secure(config *tls.Config) error {
	if c.gate.isShut() {
		return ErrShut
	}
	secured := tls.Server(c.bytes, config)
	if err := secured.HandshakeContext(context.Background()); err != nil { // ends with the connection
		if errors.Is(err, net.ErrClosed) {
			return ErrShut // or cut by a fault
		}
		return &TLSError{err}
	}
	c.bytes, c.secured = secured, true
	return nil
}

// Secured tells whether the connection's bytes come within TLS.
func (c *Client) Secured() bool { return c.secured }

// first waits for the worker's first byte, and leaves it to be read.
func (c *Client) first() (byte, error) {
	first := make([]byte, 1)
	if _, err := io.ReadFull(c, first); err != nil {
		return 0, err
	}
	c.Unread(first)
	return first[0], nil
}

// Unread puts bytes that were read, and not used, back in front of those to come.
func (c *Client) Unread(p []byte) { c.bytes = &unread{c.bytes, bytes.Clone(p)} }

type unread struct {
	net.Conn
	front []byte
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.front) > 0 {
		n := copy(p, u.front)
		u.front = u.front[n:]
		return n, nil
	}
	return u.Conn.Read(p)
}

// Offers tells whether the worker can have TLS.
func (f *Front) Offers() bool { return f.tls != nil }

// Secure ends the worker's TLS here. Some clients look at the certificate when the handshake
// is over, and go without a word.
func (f *Front) Secure(client *Client) error {
	err := ErrDeclined
	if f.Offers() {
		err = client.Secure(f.tls)
	}
	if err == nil {
		switch _, gone := client.first(); {
		case errors.Is(gone, net.ErrClosed):
			err = ErrShut
		case gone != nil:
			err = &TLSError{fmt.Errorf("it has seen the certificate, and said nothing: %w", gone)}
		}
	}
	f.Unsecured(err)
	return err
}

// declines is TLS's own "handshake failure": what a client of it understands.
const declines = "\x15\x03\x03\x00\x02\x02\x28"

// AsksTLS waits for the worker's first byte, and tells whether TLS begins so.
func (c *Client) AsksTLS() (bool, error) {
	const handshake = 0x16
	first, err := c.first()
	if errors.Is(err, net.ErrClosed) {
		err = ErrShut // or cut by a fault
	}
	return first == handshake, err
}

// SecureIfAsked does so where the worker begins with TLS.
func (f *Front) SecureIfAsked(client *Client) error {
	asks, err := client.AsksTLS()
	if !asks {
		return err
	}
	if err = f.Secure(client); errors.Is(err, ErrDeclined) {
		_, _ = io.WriteString(client, declines) // the connection ends either way
	}
	return err
}

// Trials keeps how the worker's last try at TLS has ended.
type Trials struct {
	mu   sync.Mutex
	good bool // one went well
	last error
}

// Unsecured keeps why the worker has no connection. Nil takes back what is no longer so:
// some clients first try TLS, and then connect once more without. A gate that was shut says
// nothing, and neither does a worker that has merely gone, when it could have had a connection:
// it was ended, or only looked whether somebody listens.
func (t *Trials) Unsecured(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(err, ErrShut) || t.good && isGone(err) {
		return
	}
	t.good = t.good || err == nil
	t.last = err
}

func isGone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// WhyUnsecured is the last such reason; nil when there is none.
func (t *Trials) WhyUnsecured() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}
