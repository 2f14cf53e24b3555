package mysqlwire

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"slices"
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
	db       *sql.DB
	listener net.Listener
	served   sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	refuses  bool
	clients  map[*wire.Client]struct{}
	backends []uint32
}

// Listen starts a proxy in front of the server at upstream, such as "127.0.0.1:3306". By
// db, a way of the caller's own to the same server, the proxy asks whether a connection
// has been rolled back: see ending. It needs no right but to see the worker's connections
// (the same account, or PROCESS), and lives as long as the gate.
func Listen(gate *wire.Gate, peer, upstream string, db *sql.DB) (*Proxy, error) {
	if _, _, err := net.SplitHostPort(upstream); err != nil {
		return nil, fmt.Errorf("upstream of %s: want host:port: %w", peer, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", peer, err)
	}
	p := &Proxy{
		gate: gate, peer: peer, upstream: upstream, db: db, listener: listener,
		clients: map[*wire.Client]struct{}{},
	}
	p.served.Go(p.accept)
	return p, nil
}

// Addr is where the proxy listens, as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Backends gives the ids of all connections that were made to the server, in order.
// One that has not ended may still commit: Quiet waits for it, and where that takes too
// long, it can be looked up in the process list and ended by KILL.
func (p *Proxy) Backends() []uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.backends)
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

// serve carries one connection of the worker to its end. The server speaks first.
func (p *Proxy) serve(client *wire.Client) {
	conn, err := (&net.Dialer{Timeout: dialLimit}).DialContext(context.Background(), "tcp", p.upstream)
	if err != nil {
		return
	}
	server := newEnding(conn.(*net.TCPConn), p.db)
	up := p.gate.Upstream(server)
	defer up.Close()
	s := p.session(client, up)
	if s.greet(&server.id) == nil {
		s.run()
	}
}

func (p *Proxy) met(backend uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backends = append(p.backends, backend)
}
