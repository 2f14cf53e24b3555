package amqpwire

import (
	"github.com/twiceproof/twiceproof/wire"
)

const maxBody = 1 << 20

// content is a method with its header and body, until it is whole.
type content struct {
	wire.Spool
	method  method
	message Message
	unacked bool // until the worker acknowledges it
	headed  bool
	left    uint64
}

// contents are those under way on one side of a connection, by channel.
type contents map[uint16]*content

// begin is a method that has a content.
func (cs contents) begin(f frame, m Message, unacked bool) error {
	if cs[f.channel()] != nil {
		return wire.Wrong("a content is not at its end when the next method comes")
	}
	c := &content{method: methodOf(f), message: m, unacked: unacked}
	cs[f.channel()] = c
	return c.Add(f.raw)
}

// add is a header or a body; it gives the content when that is whole.
func (cs contents) add(f frame) (*content, error) {
	c := cs[f.channel()]
	if c == nil || c.headed != (f.kind() == bodyFrame) {
		return nil, wire.Wrong("a frame of kind %d has no place on channel %d", f.kind(), f.channel())
	}
	if err := c.Add(f.raw); err != nil {
		return nil, err
	}
	if f.kind() == headerFrame {
		if err := c.head(f); err != nil {
			return nil, err
		}
	} else if err := c.body(f.payload()); err != nil {
		return nil, err
	}
	if c.left > 0 {
		return nil, nil
	}
	delete(cs, f.channel())
	return c, nil
}

func (c *content) head(f frame) error {
	a := &arguments{rest: f.payload()}
	a.take(4) // class and weight
	c.left, c.headed = a.number64(), true
	c.properties(a)
	if a.short {
		return wire.Wrong("a content's header is cut short")
	}
	return nil
}

// properties come in an order that is fixed, each when its bit is set, from the highest.
func (c *content) properties(a *arguments) {
	flags := a.number16()
	has := func(bit int) bool { return flags&(1<<bit) != 0 }
	for bit := 15; bit >= 7; bit-- {
		switch {
		case !has(bit):
		case bit == 13:
			c.message.Headers = []byte(a.bytes(int(a.number32())))
		case bit == 12, bit == 11: // delivery mode, priority
			a.octet()
		case bit == 10:
			c.message.CorrelationID = a.text()
		case bit == 7:
			c.message.MessageID = a.text()
		default: // content type, content encoding, reply to, expiration
			a.text()
		}
	}
}

func (c *content) body(part []byte) error {
	if uint64(len(part)) > c.left {
		return wire.Wrong("a content is longer than its header says")
	}
	c.left -= uint64(len(part))
	room := maxBody - len(c.message.Body)
	c.message.Body = append(c.message.Body, part[:min(len(part), room)]...)
	c.message.Cut = c.message.Cut || len(part) > room
	return nil
}

// drop lets go of what is not whole.
func (cs contents) drop() {
	for _, c := range cs {
		c.Drop()
	}
}
