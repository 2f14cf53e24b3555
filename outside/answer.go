package outside

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// request is a request read whole.
type request struct {
	method string
	path   string // as escaped by its sender
	query  url.Values
	header http.Header
	body   []byte
}

// answer is what the service does with a request: what it keeps, and the reply.
// Of call, lookUp, refused and unexpected at most one is set.
type answer struct {
	call       *Call
	lookUp     *LookUp
	refused    *Refused
	unexpected *Unexpected
	status     int
	body       []byte
	then       ending
}

// hear says what a request is.
func (p plan) hear(r request) heard {
	if p.lookUp != nil {
		if reference, ok := p.lookUp.match(r); ok {
			return heard{at: atLookUp, reference: reference}
		}
	}
	if _, ok := p.act.match(r); ok {
		return heard{at: atAct, reference: p.reference.read(r), operation: p.operation.read(r)}
	}
	return heard{}
}

// answer is the healthy answer. Pure. A request that is none of the service's is not
// answered with 404: to a client that asks for an effect this would say that there is
// none.
func (p plan) answer(m moment, h heard, r request) answer {
	switch h.at {
	case atLookUp:
		return lookUp(m, h.reference)
	case atAct:
		return p.actOn(m, h, r)
	}
	return answer{
		unexpected: &Unexpected{At: m.now, Method: r.method, Path: r.path},
		status:     http.StatusNotImplemented, body: []byte(`{"error":"not implemented"}`),
	}
}

// actOn keeps the call, whatever can be read from it: a call that names no
// operation is an effect too.
func (p plan) actOn(m moment, h heard, r request) answer {
	c := Call{
		Seq: len(m.calls) + 1, At: m.now, Method: r.method, Path: r.path, Body: r.body,
		Reference: h.reference, Operation: h.operation,
	}
	c.Effect = fmt.Sprintf("eff_%d", c.Seq)
	c.reply = object(r.fields(), c.Effect, c.Reference)
	if first := p.remembered(m, c.Reference); first != nil {
		c.Effect, c.Again, c.reply = first.Effect, true, first.reply
	}
	return answer{call: &c, status: http.StatusCreated, body: c.reply}
}

// remembered is the last effect under a reference while the service remembers it.
func (p plan) remembered(m moment, reference string) *Call {
	if !p.remembers {
		return nil
	}
	for i := range slices.Backward(m.known) {
		c := &m.known[i]
		if reference != "" && c.Reference == reference && !c.Again && (p.window == 0 || m.now.Sub(c.At) < p.window) {
			return c
		}
	}
	return nil
}

func lookUp(m moment, reference string) answer {
	l := &LookUp{At: m.now, Reference: reference}
	first := find(m.known, reference)
	if first == nil {
		return answer{lookUp: l, status: http.StatusNotFound, body: []byte(`{"error":"not found"}`)}
	}
	l.Effect = first.Effect
	return answer{lookUp: l, status: http.StatusOK, body: first.reply}
}

// find gives the first call with the reference. No reference is no reference:
// two calls without one have nothing in common.
func find(calls []Call, reference string) *Call {
	for i := range calls {
		if reference != "" && calls[i].Reference == reference {
			return &calls[i]
		}
	}
	return nil
}

// object is the posted object with the service's own fields.
func object(fields map[string]any, effect, reference string) []byte {
	all := map[string]any{}
	for name, v := range fields {
		all[name] = v
	}
	all["id"], all["reference"] = effect, reference
	return encode(all)
}

func encode(fields map[string]any) []byte {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // the fields came from JSON or are strings
	}
	return text
}

func operationOf(calls []Call, reference string) string {
	if c := find(calls, reference); c != nil {
		return c.Operation
	}
	return ""
}
