package mysqlwire

import (
	"database/sql"
	"slices"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// Proxy listens on a loopback port of its own.
type Proxy struct {
	*wire.Front
	gate     *wire.Gate
	peer     string
	upstream string
	db       *sql.DB

	mu       sync.Mutex
	backends []uint32
}

// Listen starts a proxy in front of the server at upstream, such as "127.0.0.1:3306". By
// db, a way of the caller's own to the same server, the proxy asks whether a connection
// has been rolled back: see ending. It needs no right but to see the worker's connections
// (the same account, or PROCESS), and lives as long as the gate.
func Listen(gate *wire.Gate, peer, upstream string, db *sql.DB) (*Proxy, error) {
	if err := wire.CheckAddress(peer, upstream); err != nil {
		return nil, err
	}
	front, err := gate.Listen(peer)
	if err != nil {
		return nil, err
	}
	p := &Proxy{Front: front, gate: gate, peer: peer, upstream: upstream, db: db}
	front.Serve(p.serve)
	return p, nil
}

// Backends gives the ids of all connections that were made to the server, in order.
// One that has not ended may still commit: Quiet waits for it, and where that takes too
// long, it can be looked up in the process list and ended by KILL.
func (p *Proxy) Backends() []uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.backends)
}

// serve carries one connection of the worker to its end. The server speaks first.
func (p *Proxy) serve(client *wire.Client) {
	conn, err := wire.Dial(p.upstream)
	if err != nil {
		return
	}
	server := newEnding(conn, p.db)
	up := p.gate.Upstream(server)
	defer up.Close()
	s := p.session(client, up)
	if err := s.greet(&server.id); err != nil {
		p.Blame("worker", protocol, err)
		return
	}
	s.run()
}

const protocol = "MySQL's protocol"

func (p *Proxy) met(backend uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backends = append(p.backends, backend)
}
