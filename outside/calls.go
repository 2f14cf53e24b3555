package outside

import (
	"slices"
	"time"
)

// Call is one call that the service acted on.
type Call struct {
	// Seq counts the calls from 1 in order of arrival.
	Seq          int
	At           time.Time
	Method, Path string
	// Reference and Operation are "" where the call has none that can be read.
	Reference, Operation string
	Body                 []byte
	// Effect is the effect's id, as the reply says it.
	Effect string
	// Again says that the service remembered the reference: no new effect.
	Again bool

	reply []byte
}

// LookUp is one question for a reference.
type LookUp struct {
	At        time.Time
	Reference string
	// Effect is the answer: the effect's id, or "" when there was none.
	Effect string
}

// Unexpected is a request that is neither the service's act nor its look-up. Its
// query is left out, because it may hold a secret.
type Unexpected struct {
	At           time.Time
	Method, Path string
}

// Calls gives the calls so far.
func (o *Outside) Calls() []Call {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

// Count gives the effects of one operation so far.
func (o *Outside) Count(operation string) int { return Count(o.Calls(), operation) }

// Count counts the effects of one operation.
func Count(calls []Call, operation string) int {
	n := 0
	for _, c := range calls {
		if c.Operation == operation && !c.Again {
			n++
		}
	}
	return n
}

// LookUps gives the look-ups so far.
func (o *Outside) LookUps() []LookUp {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.lookUps)
}

// Unexpected gives the unexpected requests so far.
func (o *Outside) Unexpected() []Unexpected {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.unexpected)
}
