package outside

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ending is what becomes of a reply.
type ending int

const (
	reply ending = iota // it goes out
	late                // it goes out when released
	drop                // the connection is cut, without a byte
	hold                // nothing is decided yet
)

// spoil is what the fault makes of a healthy answer. Pure.
func (f Fault) spoil(a answer) answer {
	switch {
	case f.Kind == "":
	case f.Kind == Hold:
		return answer{then: hold}
	case a.call != nil:
		return f.spoilAct(a)
	case a.lookUp != nil:
		return f.spoilLookUp(a)
	}
	return a
}

func (f Fault) spoilAct(a answer) answer {
	c := *a.call
	c.Fault = f.Kind
	a.call = &c
	switch f.Kind {
	case Delay:
		a.then = late
	case ActThenDrop:
		a.then = drop
	case ActThenFail:
		a.status, a.body = f.Status, failure(f.Status)
	case Refuse:
		return answer{refused: c.refuse(f.Kind, f.Status), status: f.Status, body: failure(f.Status)}
	case DropBeforeAct:
		return answer{refused: c.refuse(f.Kind, 0), then: drop}
	}
	return a
}

func (f Fault) spoilLookUp(a answer) answer {
	l := *a.lookUp
	l.Fault = f.Kind
	a.lookUp = &l
	switch f.Kind {
	case LookUpSilence:
		a.then = late
		return a
	case LookUpOther:
		return f.another(a)
	case LookUpTwo:
		body := a.shown()
		second := object(decode(body), "eff_other", l.Reference)
		a.status, a.body = 200, fmt.Appendf(nil, "[%s,%s]", body, second)
	case LookUpFail:
		a.status, a.body = f.Status, failure(f.Status)
	case LookUpEmpty:
		a.status, a.body = 200, []byte("[]")
	case LookUpMalformed:
		body := a.shown()
		a.status, a.body = 200, body[:len(body)/2]
	}
	a.lookUp.Effect = ""
	return a
}

// another shows the object with another value in one field.
func (f Fault) another(a answer) answer {
	fields := decode(a.shown())
	a.lookUp.Effect = text(fields["id"])
	changeField(fields, strings.Split(f.Field, "."))
	a.status, a.body = 200, encode(fields)
	return a
}

// shown is the object that the answer shows. Where it shows none, it is one that
// somebody else made under the reference.
func (a answer) shown() []byte {
	if a.lookUp.Effect != "" {
		return a.body
	}
	return object(nil, "eff_other", a.lookUp.Reference)
}

// changeField makes 12 into 121 and "a" into "a1"; a value of any other kind, or
// none, becomes 1.
func changeField(fields map[string]any, path []string) {
	name, rest := path[0], path[1:]
	if len(rest) > 0 {
		inner, ok := fields[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			fields[name] = inner
		}
		changeField(inner, rest)
		return
	}
	switch v := fields[name].(type) {
	case string:
		fields[name] = v + "1"
	case json.Number:
		fields[name] = v + "1"
	default:
		fields[name] = 1
	}
}

// failure is what a client reads under a status: that of a gateway is a page.
func failure(status int) []byte {
	if status >= 502 && status <= 504 {
		return fmt.Appendf(nil, "<html><body><h1>%d</h1></body></html>", status)
	}
	return fmt.Appendf(nil, `{"error":"%d"}`, status)
}

// decode reads one object and nothing else. Counter-example: a call that carries two of them,
// one a line, which would be one effect of the first one's operation.
func decode(object []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber() // an order number may be longer than a float64 can hold
	var fields map[string]any
	if d.Decode(&fields) != nil {
		return nil
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil
	}
	return fields
}
