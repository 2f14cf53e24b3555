package amqpwire

import "encoding/binary"

// arguments reads what comes in a method or in a content's properties. What is cut short
// is empty, and is seen by short.
type arguments struct {
	rest  []byte
	short bool
}

func (a *arguments) take(n int) []byte {
	if n > len(a.rest) {
		a.rest, a.short = nil, true
		return make([]byte, min(n, 8))
	}
	b := a.rest[:n]
	a.rest = a.rest[n:]
	return b
}

func (a *arguments) octet() byte      { return a.take(1)[0] }
func (a *arguments) number16() uint16 { return binary.BigEndian.Uint16(a.take(2)) }
func (a *arguments) number32() uint32 { return binary.BigEndian.Uint32(a.take(4)) }
func (a *arguments) number64() uint64 { return binary.BigEndian.Uint64(a.take(8)) }
func (a *arguments) bit(n int) bool   { return a.octet()&(1<<n) != 0 }
func (a *arguments) text() string     { return a.bytes(int(a.octet())) }
func (a *arguments) bytes(n int) string {
	b := a.take(n)
	if a.short {
		return ""
	}
	return string(b)
}
