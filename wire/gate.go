package wire

import (
	"crypto/tls"
	"errors"
	"slices"
	"sync"
	"time"
)

// The ends of a step that a proxy hears about. The worker's connection is
// already reset then; the proxy passes nothing on and closes its upstream.
var (
	ErrShut    = errors.New("gate is shut")
	ErrDropped = errors.New("connection dropped by a fault")
)

// Gate is the one place that all connections of one worker process pass. A shut
// gate stays shut: the next worker process gets its own.
type Gate struct {
	record func(Event)
	shut   chan struct{} // closed: not a byte leaves any more
	over   chan struct{} // closed: and the connections are closed
	offers map[string]*tls.Config

	mu      sync.Mutex
	count   map[Step]int // by the step without its number
	armed   []*Armed
	steps   map[*Crossing]struct{} // without an end yet
	work    map[*Crossing]struct{} // let through, and the peer not done with it
	clients map[*Client]struct{}
	peers   map[*Upstream]struct{}
	changed chan struct{} // closed and replaced when one of these shrinks
	unread  []string      // why connections were ended
}

// NewGate makes an open gate. It calls record under its lock, so that the events
// come in the order in which they happened: record is quick and asks the gate
// nothing. It may be nil.
func NewGate(record func(Event)) *Gate {
	if record == nil {
		record = func(Event) {}
	}
	return &Gate{
		record: record, shut: make(chan struct{}), over: make(chan struct{}),
		count: map[Step]int{}, steps: map[*Crossing]struct{}{}, work: map[*Crossing]struct{}{},
		clients: map[*Client]struct{}{}, peers: map[*Upstream]struct{}{}, offers: map[string]*tls.Config{},
		changed: make(chan struct{}),
	}
}

// Reset starts the numbering of steps again, for the worker's next job. Armed
// faults keep their own count.
func (g *Gate) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.count)
}

// Shut lets nothing of this worker through from now on, and closes all its
// connections. What the peers still have in work then, Quiet waits for.
func (g *Gate) Shut() {
	g.mu.Lock()
	g.bar()
	g.mu.Unlock()
	g.awaitWrites()
	g.end()
}

// Close shuts the gate and resets what the peers have not ended by themselves.
// What they still have in work is then out of sight; ask Quiet first.
func (g *Gate) Close() {
	g.Shut()
	for _, u := range g.upstreams() {
		reset(u.Conn)
		<-u.ended
	}
}

// bar shuts the gate. Under the lock.
func (g *Gate) bar() {
	if !g.isShut() {
		close(g.shut)
	}
}

func (g *Gate) isShut() bool { return isClosed(g.shut) }

// awaitWrites waits for the writes that the gate let through just before it shut.
func (g *Gate) awaitWrites() {
	var leaving []*guarded
	g.mu.Lock()
	for c := range g.clients {
		leaving = append(leaving, &c.guarded)
	}
	for u := range g.peers {
		leaving = append(leaving, &u.guarded)
	}
	g.mu.Unlock()
	for _, c := range leaving {
		c.awaitWrite()
	}
}

// end closes every connection of a shut gate: FIN to the peers, RST to the
// worker.
func (g *Gate) end() {
	for _, u := range g.upstreams() {
		u.Close()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.clients {
		reset(c.Conn)
	}
	if !isClosed(g.over) {
		close(g.over)
	}
}

func (g *Gate) upstreams() []*Upstream {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*Upstream, 0, len(g.peers))
	for u := range g.peers {
		all = append(all, u)
	}
	return all
}

// note records an event. Under the lock.
func (g *Gate) note(s Step, p Phase, status string) {
	g.record(Event{At: time.Now(), Step: s, Phase: p, Status: status})
}

// Unreadable records why a proxy ends a connection by itself: once, for a worker connects again
// and again.
func (g *Gate) Unreadable(why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.unread, why) {
		g.unread = append(g.unread, why)
		g.note(Step{}, Unreadable, why)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
