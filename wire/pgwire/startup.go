package pgwire

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/twiceproof/twiceproof/wire"
)

// What a connection may begin with, beside a StartupMessage.
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssEncRequest = 80877104
)

// maxStartup is PostgreSQL's own bound of a first packet.
const maxStartup = 10000

// greet reads the packet with which the worker begins. What it asks for of TLS it gets
// where that is offered. Any other encryption is declined as often as it is asked for.
func (p *Proxy) greet(client *wire.Client, requests *bufio.Reader) ([]byte, error) {
	for {
		packet, err := firstPacket(requests)
		if err != nil {
			return nil, err
		}
		switch code(packet) {
		case sslRequest:
			err = p.secure(client, requests)
		case gssEncRequest:
			_, err = client.Write([]byte{'N'})
		default:
			p.Unsecured(nil) // a client that insists does not come so far
			return packet, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

var errSentAhead = wire.Wrong("it has sent something in clear text behind its request for TLS")

func (p *Proxy) secure(client *wire.Client, requests *bufio.Reader) error {
	if !p.Offers() || client.Secured() {
		p.Unsecured(wire.ErrDeclined)
		_, err := client.Write([]byte{'N'})
		return err
	}
	if requests.Buffered() > 0 {
		return errSentAhead // or it would be taken for what came within TLS
	}
	if _, err := client.Write([]byte{'S'}); err != nil {
		return err
	}
	return p.Secure(client)
}

// firstPacket has a length and no type.
func firstPacket(r io.Reader) ([]byte, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head)
	if n < 8 || n > maxStartup {
		return nil, wire.Wrong("its first packet has a length of %d", n)
	}
	packet := make([]byte, n)
	copy(packet, head)
	_, err := io.ReadFull(r, packet[8:])
	return packet, err
}

// settings are the run-time parameters that a StartupMessage sets, as pairs of name and
// value; "options" holds further ones, as of a command line.
func settings(packet []byte) map[string]string {
	all := map[string]string{}
	for rest := packet[8:]; len(rest) > 0; {
		name, after := text(rest)
		if name == "" {
			break
		}
		all[name], rest = text(after)
	}
	return all
}

func code(packet []byte) uint32 { return binary.BigEndian.Uint32(packet[4:]) }

// untilEnd waits until the server has ended a connection on which it says
// nothing: it has passed the CancelRequest on by then.
func untilEnd(up io.Reader) { _, _ = io.Copy(io.Discard, up) } // an error is an end too
