package respwire

import (
	"github.com/twiceproof/twiceproof/wire"
)

// Options are what a queue's package knows of its own protocol on top of Redis. Both are
// called by several connections at once, and must be quick.
type Options struct {
	// Name gives a step another text than DefaultName's; "" leaves it. It is asked before
	// the step meets the gate: with the commands, or with a delivery's reply.
	Name func(Said) string
	// Saw is told of each step that has its reply, before a fault strikes After; of one
	// that is not answered, when it has left; and of a delivery, when the worker has it.
	Saw func(wire.Step, Said)
}

// Proxy listens on a loopback port of its own.
type Proxy struct {
	*wire.Front
	gate     *wire.Gate
	peer     string
	upstream string
	options  Options
}

// Listen starts a proxy in front of the server at upstream, such as "127.0.0.1:6379".
func Listen(gate *wire.Gate, peer, upstream string, options Options) (*Proxy, error) {
	if err := wire.CheckAddress(peer, upstream); err != nil {
		return nil, err
	}
	front, err := gate.Listen(peer)
	if err != nil {
		return nil, err
	}
	p := &Proxy{Front: front, gate: gate, peer: peer, upstream: upstream, options: options}
	front.Serve(p.serve)
	return p, nil
}

// serve carries one connection of the worker to its end.
func (p *Proxy) serve(client *wire.Client) {
	if p.SecureIfAsked(client) != nil {
		return
	}
	conn, err := wire.Dial(p.upstream)
	if err != nil {
		return
	}
	up := p.gate.Upstream(conn)
	defer up.Close()
	p.session(client, up).run()
}

func (p *Proxy) name(said Said) string {
	if p.options.Name != nil {
		if name := p.options.Name(said); name != "" {
			return wire.Clip(name)
		}
	}
	return DefaultName(said)
}

func (p *Proxy) saw(step wire.Step, said Said) {
	if p.options.Saw != nil {
		p.options.Saw(step, said)
	}
}

const protocol = "RESP"
