package mysqlwire

import (
	"encoding/binary"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// maxNamed bounds what of a command its name is made from.
const maxNamed = 1 << 20

// lastPrepared stands, at MariaDB, for the statement that was prepared last, whose
// number the worker has not heard yet.
const lastPrepared = 1<<32 - 1

// request is a command that is being put together. It knows what the connection has
// prepared.
type request struct {
	command byte
	shape   shape
	answers bool // it is no command, but what the server has asked for
	kept    wire.Spool
	head    []byte // the first bytes of the payload

	prepared  map[uint32][]string // statements by number
	statement uint32              // prepared last
}

func newRequest() *request { return &request{prepared: map[uint32][]string{}} }

func (r *request) begin(command byte) {
	r.command, r.shape, r.head = command, shapes[command], r.head[:0]
}

func (r *request) add(p packet) error {
	r.see(p)
	return r.kept.Add(p.raw)
}

func (r *request) see(p packet) {
	b := p.payload()
	r.head = append(r.head, b[:min(len(b), maxNamed-len(r.head))]...)
	switch {
	case p.more:
	case r.command == comStmtClose:
		delete(r.prepared, r.number())
	case r.command == comChangeUser:
		clear(r.prepared)
	}
}

// number is that of a prepared statement, in a command about one.
func (r *request) number() uint32 {
	if len(r.head) < 5 {
		return 0
	}
	n := binary.LittleEndian.Uint32(r.head[1:])
	if n == lastPrepared {
		return r.statement
	}
	return n
}

// statements are what the command is about.
func (r *request) statements() []string {
	switch r.command {
	case comQuery, comStmtPrepare:
		return normalise(string(r.head[1:]))
	case comStmtExecute, comStmtBulkExecute, comStmtFetch, comStmtReset:
		return r.prepared[r.number()]
	}
	return nil
}

// title is the step's text.
func (r *request) title() string {
	statements := wire.Join(r.statements())
	switch r.command {
	case comStmtPrepare:
		return wire.Clip("Prepare " + statements)
	case comStmtFetch:
		return wire.Clip(strings.TrimSpace("Fetch " + statements))
	case comStmtReset:
		return wire.Clip(strings.TrimSpace("Reset " + statements))
	case comStmtExecute, comStmtBulkExecute:
		if statements == "" {
			return "Execute" // of nothing that is prepared: the server refuses it
		}
	case comQuery:
		if statements == "" {
			return "Query"
		}
	default:
		return titles[r.command]
	}
	return wire.Clip(statements)
}

// verbs are what the results of the command are called.
func (r *request) verbs() (all []string) {
	for _, s := range r.statements() {
		all = append(all, verb(s))
	}
	return all
}

// answered makes ready for the next command.
func (r *request) answered(o outcome) {
	switch {
	case o.failed && r.command == comStmtPrepare:
		r.statement = 0
	case o.failed:
	case r.command == comStmtPrepare:
		r.statement = o.statement
		r.prepared[o.statement] = normalise(string(r.head[1:]))
	case r.command == comResetConnection:
		clear(r.prepared)
	}
}
