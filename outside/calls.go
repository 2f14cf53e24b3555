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
	// Fault is what went wrong with it, or "".
	Fault Kind
	// Mail is set where the call is a mail.
	Mail *Mail

	reply []byte
}

// LookUp is one question for a reference.
type LookUp struct {
	At        time.Time
	Reference string
	// Effect is the answer: the effect's id, or "" when there was none.
	Effect string
	// Fault is what went wrong with it, or "".
	Fault Kind
}

// Refused is a request that could have been a call and was not acted on.
type Refused struct {
	At                   time.Time
	Method, Path         string
	Reference, Operation string
	Fault                Kind
	// Status is the answer; 0 when the connection was cut.
	Status int
}

func (c Call) refuse(k Kind, status int) *Refused {
	return &Refused{
		At: c.At, Method: c.Method, Path: c.Path, Reference: c.Reference, Operation: c.Operation,
		Fault: k, Status: status,
	}
}

// Unexpected is a request that is neither the service's act nor its look-up. Its
// query is left out, because it may hold a secret.
type Unexpected struct {
	At           time.Time
	Method, Path string
}

// Calls gives the calls so far.
func (b *Book) Calls() []Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// Count gives the effects of one operation so far.
func (b *Book) Count(operation string) int { return Count(b.Calls(), operation) }

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
func (b *Book) LookUps() []LookUp {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lookUps)
}

// Refused gives the requests so far that were not acted on.
func (b *Book) Refused() []Refused {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.refused)
}

// Unexpected gives the unexpected requests so far.
func (b *Book) Unexpected() []Unexpected {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.unexpected)
}
