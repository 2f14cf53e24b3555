package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"
)

// dialLimit bounds a connection to a peer.
const dialLimit = 10 * time.Second

// Front is the side of a proxy that the worker sees: a loopback port of its own.
type Front struct {
	Trials
	gate     *Gate
	peer     string
	tls      *tls.Config // nil: TLS is declined
	listener net.Listener
	served   sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	refuses bool
	clients map[*Client]struct{}
}

// Listen takes a port for the proxy to a peer. Nobody is served before Serve.
func (g *Gate) Listen(peer string) (*Front, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", peer, err)
	}
	return &Front{gate: g, peer: peer, tls: g.offers[peer], listener: listener, clients: map[*Client]struct{}{}}, nil
}

// Serve hands each connection of the worker to serve, which carries it to its end.
func (f *Front) Serve(serve func(*Client)) {
	f.served.Go(func() {
		for {
			conn, err := f.listener.Accept()
			if err != nil {
				return
			}
			client := f.gate.Client(conn)
			if !f.add(client) {
				client.Reset()
				client.Close()
				continue // until the listener is closed
			}
			f.served.Go(func() {
				defer f.remove(client)
				serve(client)
			})
		}
	})
}

// Addr is where the proxy listens, as host:port.
func (f *Front) Addr() string { return f.listener.Addr().String() }

// Refuse makes the peer as if it could not be reached: every connection of the
// worker is reset, and so is each that it makes, until Admit.
func (f *Front) Refuse() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuses = true
	for c := range f.clients {
		c.Reset()
	}
}

// Admit ends Refuse.
func (f *Front) Admit() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuses = false
}

// Close ends the proxy and shuts its gate, because a worker that has lost one
// peer is no longer the worker under test.
func (f *Front) Close() {
	f.gate.Shut()
	f.listener.Close()
	f.mu.Lock()
	f.closed = true
	for c := range f.clients {
		c.Reset()
	}
	f.mu.Unlock()
	f.served.Wait()
}

func (f *Front) add(client *Client) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.refuses {
		return false
	}
	f.clients[client] = struct{}{}
	return true
}

func (f *Front) remove(client *Client) {
	client.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.clients, client)
}

// CheckAddress says what is wrong with the address of a peer's server.
func CheckAddress(peer, address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("upstream of %s: want host:port: %w", peer, err)
	}
	return nil
}

// Dial connects to a peer's server.
func Dial(address string) (*net.TCPConn, error) {
	conn, err := (&net.Dialer{Timeout: dialLimit}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}
