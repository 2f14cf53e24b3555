package mysqlwire

import (
	"fmt"

	"github.com/twiceproof/twiceproof/wire"
)

// First bytes of what a server says.
const (
	isOK        = 0x00
	isLocalFile = 0xfb
	isEOF       = 0xfe
)

// Flags of the server's status.
const (
	inTransaction = 0x0001
	moreResults   = 0x0008
	cursorExists  = 0x0040
)

var errEmpty = wire.Wrong("it says nothing in a packet")

// part is where in a result the next message belongs.
type part int

const (
	atHead part = iota
	atColumns
	atColumnsEnd
	atRows
	atDescriptions // of a prepared statement
)

// answer follows a reply, message by message, to its end.
type answer struct {
	shape shape
	noEOF bool
	verbs []string // of the statements, in order
	// within is whether the connection is in a transaction, after what was read so far.
	within bool

	at        part
	left      uint64 // columns or descriptions to come
	rows      uint64
	nth       int // statement whose result is read
	results   []string
	statement uint32
	failed    bool
	asks      bool // for a file of the worker, before it goes on
}

func newAnswer(shape shape, noEOF, within bool, verbs []string) *answer {
	a := &answer{shape: shape, noEOF: noEOF, within: within, verbs: verbs}
	if shape == rows {
		a.at = atRows
	}
	return a
}

// see takes a packet of the server in, and says whether the reply ends with it. Only
// the first packet of a message says what it is, and only the last one ends it.
func (a *answer) see(p packet) (ended bool, err error) {
	if p.continues {
		return false, nil // no message that ends a reply is as long as that
	}
	switch {
	case len(p.payload()) == 0:
		return false, errEmpty
	case p.kind() == isError:
		a.fail(p)
		return true, nil
	case a.at == atHead:
		return a.head(p)
	case a.at == atColumns:
		a.column()
		return false, nil
	case a.at == atColumnsEnd:
		a.at = atRows
		return short(p.payload(), 3)&cursorExists != 0 && a.endRows(p), nil
	case a.at == atDescriptions:
		a.left--
		return a.left == 0, nil
	case a.isEnd(p):
		return a.endRows(p), nil
	}
	a.rows++
	return false, nil
}

// head is the first message of a result.
func (a *answer) head(p packet) (ended bool, err error) {
	switch {
	case a.shape == single:
		if p.kind() == isOK {
			_, status := readOK(p)
			a.within = status&inTransaction != 0
			a.results = append(a.results, "OK")
		}
		return true, nil
	case a.shape == prepared:
		return a.prepare(p), nil
	case p.kind() == isOK:
		return a.ok(p), nil
	case p.kind() == isLocalFile:
		a.asks = true
		return false, nil
	}
	a.left, _ = integer(p.payload())
	a.at, a.rows = atColumns, 0
	return false, nil
}

func (a *answer) column() {
	if a.left--; a.left > 0 {
		return
	}
	a.at = atColumnsEnd
	if a.noEOF {
		a.at = atRows
	}
}

// isEnd: a row may begin with the same byte, when its first value is longer than a
// packet.
func (a *answer) isEnd(p packet) bool {
	return p.kind() == isEOF && !p.more && (a.noEOF || len(p.payload()) < 9)
}

func (a *answer) ok(p packet) (ended bool) {
	affected, status := readOK(p)
	return a.result(affected, status, false)
}

// endRows is the end of the rows: an EOF, or an OK in its place.
func (a *answer) endRows(p packet) (ended bool) {
	status := short(p.payload(), 3)
	if len(p.payload()) > 5 {
		_, status = readOK(p)
	}
	return a.result(a.rows, status, true)
}

// result notes how a statement has ended. A CALL's own is the last of several.
func (a *answer) result(n uint64, status uint16, table bool) (ended bool) {
	name := a.verb()
	if !table || name != "CALL" {
		a.nth++
	}
	state := "I"
	if status&inTransaction != 0 {
		state = "T"
	}
	if a.within && impliesCommit[name+" "+state] {
		a.results = append(a.results, "COMMIT "+state)
	}
	a.within = state == "T"
	if table || n > 0 || isWrite(name) {
		name = fmt.Sprintf("%s %d", name, n)
	}
	a.results = append(a.results, name+" "+state)
	a.at = atHead
	return status&moreResults == 0
}

func (a *answer) verb() string {
	if a.nth < len(a.verbs) {
		return a.verbs[a.nth]
	}
	return "OK"
}

func (a *answer) prepare(p packet) (ended bool) {
	b := p.payload()
	if len(b) < 9 {
		return true
	}
	a.statement = uint32(short(b, 1)) | uint32(short(b, 3))<<16
	for _, n := range []uint16{short(b, 5), short(b, 7)} {
		if n > 0 && !a.noEOF {
			a.left++
		}
		a.left += uint64(n)
	}
	a.at = atDescriptions
	return a.left == 0
}

// fail notes an error: its number and its SQLSTATE. Its text may hold values.
func (a *answer) fail(p packet) {
	b := p.payload()
	a.failed = true
	state := ""
	if len(b) >= 9 && b[3] == '#' {
		state = " " + string(b[4:9])
	}
	a.results = append(a.results, fmt.Sprintf("ERROR %d%s", short(b, 1), state))
}

func (a *answer) status() string { return wire.Join(a.results) }
