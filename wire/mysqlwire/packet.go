package mysqlwire

import (
	"bufio"
	"encoding/binary"
	"io"
)

const (
	header  = 4         // length and sequence number
	full    = 1<<24 - 1 // a payload of this length goes on in the next packet
	keep    = 1 << 20   // a larger buffer is not kept for the next packet
	minimum = 4096
)

// packet is one packet of a message. Its bytes are good until the next one is read.
type packet struct {
	raw       []byte
	continues bool // a packet before began the message
	more      bool // and a packet after goes on with it
}

func (p packet) payload() []byte { return p.raw[header:] }

// starts says that the message answers nothing: the number is 0 for a command, and
// goes on counting for what a worker says when it is asked, such as a password.
func (p packet) starts() bool { return p.raw[3] == 0 }

// kind is the first byte of a message, 0 of an empty one.
func (p packet) kind() byte {
	if len(p.raw) == header {
		return 0
	}
	return p.raw[header]
}

// packets reads one side of a connection.
type packets struct {
	*bufio.Reader
	buf  []byte
	more bool
}

func (ps *packets) next() (packet, error) {
	head, err := ps.Peek(header)
	if err != nil {
		return packet{}, err
	}
	n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	size := header + n
	if cap(ps.buf) < size || cap(ps.buf) > keep {
		ps.buf = make([]byte, max(size, minimum))
	}
	p := packet{raw: ps.buf[:size], continues: ps.more, more: n == full}
	ps.more = p.more
	_, err = io.ReadFull(ps, p.raw)
	return p, err
}

// integer cuts a number of variable length from the front of b; what is cut short is 0.
func integer(b []byte) (n uint64, rest []byte) {
	size := 0
	switch {
	case len(b) == 0:
		return 0, nil
	case b[0] < 0xfb:
		return uint64(b[0]), b[1:]
	case b[0] == 0xfc:
		size = 2
	case b[0] == 0xfd:
		size = 3
	case b[0] == 0xfe:
		size = 8
	}
	if len(b) < 1+size {
		return 0, nil
	}
	var wide [8]byte
	copy(wide[:], b[1:1+size])
	return binary.LittleEndian.Uint64(wide[:]), b[1+size:]
}

// short is the 16-bit number at an offset; what is cut short is 0.
func short(b []byte, at int) uint16 {
	if len(b) < at+2 {
		return 0
	}
	return binary.LittleEndian.Uint16(b[at:])
}

// readOK reads an OK: how many rows were changed, and the status flags.
func readOK(p packet) (affected uint64, status uint16) {
	affected, rest := integer(p.payload()[1:])
	_, rest = integer(rest) // the last id that was made
	return affected, short(rest, 0)
}
