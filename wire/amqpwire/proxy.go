package amqpwire

import (
	"bufio"
	"io"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/wire"
)

// Options are what a queue's package knows of its own protocol on top of AMQP. Both are
// called by several connections at once, and must be quick.
type Options struct {
	// Name gives a step another text than DefaultName's; "" leaves it. It is asked before
	// the step meets the gate.
	Name func(Said) string
	// Saw is told of each step that has its answer, before a fault strikes After; of one
	// that is not answered, when it has left; and of what the broker sends by itself, just
	// before the worker gets it.
	Saw func(wire.Step, Said)
}

// Proxy listens on a loopback port of its own.
type Proxy struct {
	*wire.Front
	gate     *wire.Gate
	peer     string
	upstream string
	options  Options

	connections atomic.Int32
}

// Listen starts a proxy in front of the broker at upstream, such as "127.0.0.1:5672".
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

// greeting is what a client begins with, and what a server answers that speaks no other
// version.
const greeting = "AMQP\x00\x00\x09\x01"

// serve carries one connection of the worker to its end.
func (p *Proxy) serve(client *wire.Client) {
	if p.SecureIfAsked(client) != nil {
		return
	}
	var agreed atomic.Uint32
	fromClient := &frames{bufio.NewReaderSize(client, 16<<10), &agreed}
	if err := p.greet(client, fromClient); err != nil {
		p.Blame("worker", protocol, err)
		return
	}
	conn, err := wire.Dial(p.upstream)
	if err != nil {
		return
	}
	broker := newEnding(conn)
	up := p.gate.Upstream(broker)
	defer up.Close()
	fromServer := &frames{bufio.NewReaderSize(up, 16<<10), &agreed}
	if err := p.introduce(client, up, fromServer); err != nil {
		p.Blame("broker", protocol, err)
		return
	}
	p.session(client, up, broker, fromClient, fromServer).run()
}

// greet reads what the worker begins with.
func (p *Proxy) greet(client io.Writer, from *frames) error {
	said := make([]byte, len(greeting))
	if _, err := io.ReadFull(from, said); err != nil {
		return err
	}
	if string(said) != greeting {
		_, _ = io.WriteString(client, greeting) // the connection ends either way
		return wire.Wrong("it begins with %q", said)
	}
	return nil
}

// introduce passes the worker's beginning on. A broker that does not speak this version
// says which one it does, and ends the connection.
func (p *Proxy) introduce(client, up io.Writer, from *frames) error {
	if _, err := io.WriteString(up, greeting); err != nil {
		return err
	}
	first, err := from.Peek(1)
	if err != nil || first[0] == methodFrame {
		return err
	}
	other, _ := from.Peek(len(greeting)) // or less
	_, _ = client.Write(other)           // the connection ends either way
	return wire.Wrong("it begins with %q", other)
}

const protocol = "AMQP 0-9-1"
