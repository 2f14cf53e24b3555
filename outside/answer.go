package outside

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
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
// Of call, lookUp and unexpected one is set.
type answer struct {
	call       *Call
	lookUp     *LookUp
	unexpected *Unexpected
	status     int
	body       []byte
}

// answer decides from the calls so far. Pure.
func (p plan) answer(calls []Call, r request, now time.Time) answer {
	if p.lookUp != nil {
		if reference, ok := p.lookUp.match(r); ok {
			return lookUp(calls, reference, now)
		}
	}
	if _, ok := p.act.match(r); ok {
		return p.actOn(calls, r, now)
	}
	return answer{
		unexpected: &Unexpected{At: now, Method: r.method, Path: r.path},
		status:     http.StatusNotFound, body: []byte(`{"error":"not found"}`),
	}
}

// actOn keeps the call, whatever can be read from it: a call that names no
// operation is an effect too.
func (p plan) actOn(calls []Call, r request, now time.Time) answer {
	c := Call{
		Seq: len(calls) + 1, At: now, Method: r.method, Path: r.path, Body: r.body,
		Reference: p.reference.read(r), Operation: p.operation.read(r),
	}
	c.Effect = fmt.Sprintf("eff_%d", c.Seq)
	c.reply = object(r.fields(), c.Effect, c.Reference)
	if first := find(calls, c.Reference); p.remembers && first != nil {
		c.Effect, c.Again, c.reply = first.Effect, true, first.reply
	}
	return answer{call: &c, status: http.StatusCreated, body: c.reply}
}

func lookUp(calls []Call, reference string, now time.Time) answer {
	l := &LookUp{At: now, Reference: reference}
	first := find(calls, reference)
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
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // the fields came from JSON or are strings
	}
	return text
}
