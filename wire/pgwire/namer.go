package pgwire

import (
	"slices"

	"github.com/twiceproof/twiceproof/wire"
)

// namer makes a step's text from its messages. It knows what one connection has
// prepared.
type namer struct {
	statements map[string]string // SQL by the statement's name
	portals    map[string]string // SQL by the portal's name
	defined    []definition      // by this step, until its reply

	executed, parsed, other []string
}

// definition is what a Parse has replaced.
type definition struct {
	name, before string
	had          bool
}

func newNamer() *namer {
	return &namer{statements: map[string]string{}, portals: map[string]string{}}
}

// see takes a message of the worker in.
func (n *namer) see(f frame) {
	name, rest := text(f.body())
	switch f.kind {
	case query:
		n.executed = append(n.executed, normalise(name)...)
		n.other = append(n.other, "Query")
	case functionCall:
		n.executed = append(n.executed, "FunctionCall")
	case parse:
		sql, _ := text(rest)
		n.parse(name, wire.Join(normalise(sql)))
	case bind:
		statement, _ := text(rest)
		n.portals[name] = n.sql(statement)
		n.other = append(n.other, "Bind "+n.portals[name])
	case execute:
		n.executed = append(n.executed, n.portal(name))
	case describe, closeNamed:
		n.describeOrClose(f)
	}
}

func (n *namer) parse(name, sql string) {
	before, had := n.statements[name]
	n.defined = append(n.defined, definition{name, before, had})
	n.statements[name] = sql
	n.parsed = append(n.parsed, sql)
}

func (n *namer) describeOrClose(f frame) {
	verb := "Describe "
	if f.kind == closeNamed {
		verb = "Close "
	}
	of, _ := text(f.body())
	if of == "" {
		return
	}
	sql := n.portal(of[1:])
	if of[0] == 'S' {
		sql = n.sql(of[1:])
	}
	n.other = append(n.other, verb+sql)
}

// sql is a prepared statement's text; PREPARE makes statements that no Parse has
// named.
func (n *namer) sql(statement string) string {
	if sql, ok := n.statements[statement]; ok {
		return sql
	}
	return wire.Join(normalise("EXECUTE " + statement))
}

func (n *namer) portal(name string) string {
	if sql, ok := n.portals[name]; ok {
		return sql
	}
	return wire.Join(normalise("FETCH " + name))
}

// text is the text of the step so far.
func (n *namer) text() string {
	switch {
	case len(n.executed) > 0:
		return wire.Clip(wire.Join(n.executed))
	case len(n.parsed) > 0:
		return wire.Clip("Parse " + wire.Join(n.parsed))
	case len(n.other) > 0:
		return wire.Clip(wire.Join(n.other))
	}
	return "Sync"
}

// copied makes a COPY's data a step of its own.
func (n *namer) copied(copyText string, kind byte) {
	verb := "CopyDone "
	if kind == copyFail {
		verb = "CopyFail "
	}
	n.executed = []string{verb + copyText}
}

func (n *namer) begin() { n.executed, n.parsed, n.other = nil, nil, nil }

// answered takes back the statements whose Parse has failed: the server has done
// the first of them.
func (n *namer) answered(parsed int) {
	for _, d := range slices.Backward(n.defined[min(parsed, len(n.defined)):]) {
		if d.had {
			n.statements[d.name] = d.before
		} else {
			delete(n.statements, d.name)
		}
	}
	n.defined = nil
}
