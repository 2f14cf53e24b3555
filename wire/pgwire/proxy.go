package pgwire

import (
	"bufio"
	"slices"
	"strings"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// Proxy listens on a loopback port of its own.
type Proxy struct {
	*wire.Front
	gate     *wire.Gate
	peer     string
	upstream string

	mu       sync.Mutex
	backends []uint32
	set      []map[string]string // by each connection, as it began
}

// Listen starts a proxy in front of the server at upstream, such as
// "127.0.0.1:5432".
func Listen(gate *wire.Gate, peer, upstream string) (*Proxy, error) {
	if err := wire.CheckAddress(peer, upstream); err != nil {
		return nil, err
	}
	front, err := gate.Listen(peer)
	if err != nil {
		return nil, err
	}
	p := &Proxy{Front: front, gate: gate, peer: peer, upstream: upstream}
	front.Serve(p.serve)
	return p, nil
}

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

// serve carries one connection of the worker to its end.
func (p *Proxy) serve(client *wire.Client) {
	if p.SecureIfAsked(client) != nil { // or else by a request in clear text
		return
	}
	requests := bufio.NewReader(client)
	first, err := p.greet(client, requests)
	if err != nil {
		p.Blame("worker", protocol, err)
		return
	}
	conn, err := wire.Dial(p.upstream)
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

const protocol = "PostgreSQL's protocol"

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
