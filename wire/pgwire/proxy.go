package pgwire

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/wire"
)

// dialLimit bounds a connection to the server.
const dialLimit = 10 * time.Second

// Proxy listens on a loopback port of its own.
type Proxy struct {
	gate     *wire.Gate
	peer     string
	upstream string
	listener net.Listener
	served   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	refuses  bool
	clients  map[*wire.Client]struct{}
	backends []uint32
	set      []map[string]string // by each connection, as it began
}

// Listen starts a proxy in front of the server at upstream, such as
// "127.0.0.1:5432".
func Listen(gate *wire.Gate, peer, upstream string) (*Proxy, error) {
	if _, _, err := net.SplitHostPort(upstream); err != nil {
		return nil, fmt.Errorf("upstream of %s: want host:port: %w", peer, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", peer, err)
	}
	p := &Proxy{
		gate: gate, peer: peer, upstream: upstream, listener: listener,
		clients: map[*wire.Client]struct{}{},
	}
	p.served.Go(p.accept)
	return p, nil
}

// Addr is where the proxy listens, as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Backends gives the process ids of the server's sides of all connections that
// were made, in order. A backend that has not ended may still commit: Quiet waits
// for it, and where that takes too long, it can be looked up in pg_stat_activity
// and ended by pg_terminate_backend.
func (p *Proxy) Backends() []uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.backends)
}

// Sets tells whether a connection of the worker began with a value of its own for a
// run-time parameter, such as search_path. What a statement sets later is in its step.
func (p *Proxy) Sets(parameter string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.set, func(s map[string]string) bool {
		_, set := s[parameter]
		return set || strings.Contains(strings.ReplaceAll(s["options"], "-", "_"), parameter)
	})
}

// Refuse makes the server as if it could not be reached: every connection of the
// worker is reset, and so is each that it makes, until Admit.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = true
	for c := range p.clients {
		c.Reset()
	}
}

// Admit ends Refuse.
func (p *Proxy) Admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = false
}

// Close ends the proxy and shuts its gate, because a worker that has lost one
// peer is no longer the worker under test.
func (p *Proxy) Close() {
	p.gate.Shut()
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for c := range p.clients {
		c.Reset()
	}
	p.mu.Unlock()
	p.served.Wait()
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		client := p.gate.Client(conn)
		if !p.add(client) {
			client.Reset()
			client.Close()
			continue // until the listener is closed
		}
		p.served.Go(func() {
			defer p.remove(client)
			p.serve(client)
		})
	}
}

func (p *Proxy) add(client *wire.Client) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.refuses {
		return false
	}
	p.clients[client] = struct{}{}
	return true
}

func (p *Proxy) remove(client *wire.Client) {
	client.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clients, client)
}

// serve carries one connection of the worker to its end.
func (p *Proxy) serve(client *wire.Client) {
	requests := bufio.NewReader(client)
	first, err := greet(client, requests)
	if err != nil {
		return
	}
	conn, err := (&net.Dialer{Timeout: dialLimit}).DialContext(context.Background(), "tcp", p.upstream)
	if err != nil {
		return
	}
	up := p.gate.Upstream(conn)
	defer up.Close()
	if _, err := up.Write(first); err != nil {
		return
	}
	if code(first) == cancelRequest {
		untilEnd(up)
		return
	}
	p.began(settings(first))
	p.session(client, up, requests).run()
}

func (p *Proxy) began(set map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set = append(p.set, set)
}

func (p *Proxy) met(backend uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backends = append(p.backends, backend)
}
