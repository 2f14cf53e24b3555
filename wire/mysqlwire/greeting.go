package mysqlwire

import (
	"bytes"
	"encoding/binary"

	"github.com/twiceproof/twiceproof/wire"
)

// Capabilities, which both sides must have for them to be used.
const (
	canCompress     = 1 << 5
	can41           = 1 << 9
	canSSL          = 1 << 11
	canDeprecateEOF = 1 << 24
	canLeaveColumns = 1 << 25 // optional metadata: a result says first whether it has any
	canZstd         = 1 << 26
	canAttributes   = 1 << 27
	canMySQL        = 1 << 0 // a server without it is MariaDB, and has capabilities of its own
)

// Capabilities of MariaDB.
const (
	canProgress      = 1 << 0
	canMulti         = 1 << 1
	canCacheMetadata = 1 << 4
)

// declined are what would make a connection unreadable, or a reply something else than
// this package knows.
const (
	declined        = canCompress | canSSL | canLeaveColumns | canZstd | canAttributes
	declinedMariaDB = canProgress | canMulti | canCacheMetadata
)

var (
	errNoMySQL = wire.Wrong("it is not protocol 10 that it begins with")
	errTooOld  = wire.Wrong("it begins as before 4.1")
)

const (
	protocol10 = 10
	isError    = 0xff
)

// declineGreeting takes what is declined out of the server's first packet, and gives
// the connection's id. TLS is the proxy's to offer, whatever the server has.
func declineGreeting(p packet, offersTLS bool) (id uint32, err error) {
	b := p.payload()
	version := bytes.IndexByte(b, 0)
	if p.kind() != protocol10 || version < 0 || len(b) < version+1+31 {
		return 0, errNoMySQL
	}
	b = b[version+1:]
	id = binary.LittleEndian.Uint32(b)
	low, high, own := b[13:15], b[18:20], b[27:31]
	all := uint32(binary.LittleEndian.Uint16(high))<<16 | uint32(binary.LittleEndian.Uint16(low))
	if all&canMySQL == 0 {
		put32(own, binary.LittleEndian.Uint32(own)&^declinedMariaDB)
	}
	all &^= declined
	if offersTLS {
		all |= canSSL
	}
	binary.LittleEndian.PutUint16(low, uint16(all))
	binary.LittleEndian.PutUint16(high, uint16(all>>16))
	return id, nil
}

// asksTLS: the worker's answer is cut short behind its capabilities, and goes on within TLS.
func asksTLS(p packet) bool { return short(p.payload(), 0)&canSSL != 0 }

// declineResponse does the same to the worker's answer: some clients claim what no
// server has offered, such as compression.
func declineResponse(p packet) (capabilities, claimed uint32, err error) {
	b := p.payload()
	if short(b, 0)&can41 == 0 || len(b) < 32 {
		return 0, 0, errTooOld
	}
	claimed = binary.LittleEndian.Uint32(b)
	all := claimed &^ declined
	put32(b, all)
	if own := b[28:32]; all&canMySQL == 0 {
		put32(own, binary.LittleEndian.Uint32(own)&^declinedMariaDB)
	}
	return all, claimed, nil
}

func put32(b []byte, n uint32) { binary.LittleEndian.PutUint32(b, n) }
