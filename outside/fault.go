package outside

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Kind is what goes wrong.
type Kind string

// What can go wrong with an act.
const (
	// Hold: the request has been read whole and waits. It is acted on after
	// Release, also when its client has gone meanwhile, and never after Drop.
	Hold Kind = "hold"
	// DropBeforeAct: the connection is cut, and nothing was done.
	DropBeforeAct Kind = "drop_before_act"
	// Refuse: the answer is Status, and nothing was done. A mail is refused at its
	// recipients, before it is sent.
	Refuse Kind = "refuse"
	// Delay: acts at once and answers after Release. After Drop, or when the
	// client goes, there is no answer.
	Delay Kind = "delay"
	// ActThenDrop: acts, and cuts the connection without a byte of reply.
	ActThenDrop Kind = "act_then_drop"
	// ActThenFail: acts, and answers Status as if it had not.
	ActThenFail Kind = "act_then_fail"
)

// What can go wrong with a look-up. Lag and Forget fire only where they hide a
// call, and go together with other faults.
const (
	// Lag: a call is shown After it was made, and not before.
	Lag Kind = "lag"
	// Forget: a reference is known until After its call, and then no more, neither
	// to a look-up nor, in a service that remembers, to a repeated call.
	Forget Kind = "forget"
	// LookUpFail: the answer is Status.
	LookUpFail Kind = "look_up_fail"
	// LookUpSilence: no answer until Release.
	LookUpSilence Kind = "look_up_silence"
	// LookUpEmpty: the answer is an empty list.
	LookUpEmpty Kind = "look_up_empty"
	// LookUpMalformed: the answer is cut-off JSON under a status of 200.
	LookUpMalformed Kind = "look_up_malformed"
	// LookUpOther: the object shown has another value in Field. It is shown also
	// when no call was made: somebody else's object under the same reference.
	LookUpOther Kind = "look_up_other"
	// LookUpTwo: a list of two objects with the reference.
	LookUpTwo Kind = "look_up_two"
)

// Fault is what goes wrong with which requests.
type Fault struct {
	Kind Kind
	// Operation and Reference narrow the requests; empty is any. The operation of
	// a look-up is that of the calls with its reference.
	Operation, Reference string
	// Nth picks one of them, counted from 1 since the fault was armed. 0 is every
	// one until Disarm.
	Nth int
	// Status of Refuse, ActThenFail and LookUpFail; 0 is the usual one.
	Status int
	// After is the age of Lag and Forget, by the service's clock. For Hold, Delay
	// and LookUpSilence it is when they are released by themselves, by the
	// machine's clock; 0 is never.
	After time.Duration
	// Field of LookUpOther, such as "amount" or "order.amount".
	Field string
}

// stage is where in its conversation a service meets a fault.
type stage uint8

const (
	atAct stage = 1 << iota
	atLookUp
	atRecipient
)

// point is where a service meets one kind of fault, and the usual status.
type point struct {
	at     stage
	status int
}

// complete fills in what the service knows, and says what is wrong.
func (f Fault) complete(points map[Kind]point) (Fault, point, error) {
	p := points[f.Kind]
	if f.Status == 0 {
		f.Status = p.status
	}
	switch {
	case p.at == 0:
		return f, p, fmt.Errorf("this service has no fault %q; it has %v", f.Kind, slices.Sorted(maps.Keys(points)))
	case f.Nth < 0 || f.After < 0:
		return f, p, errors.New("nth and after cannot be negative")
	case p.status != 0 && (f.Status < 400 || f.Status > 599):
		return f, p, fmt.Errorf("%s: %d is not a status that refuses or fails", f.Kind, f.Status)
	case f.hides() && f.After == 0:
		return f, p, fmt.Errorf("%s: after is missing", f.Kind)
	case f.Kind == LookUpOther && f.Field == "":
		return f, p, fmt.Errorf("%s: field is missing", f.Kind)
	}
	return f, p, nil
}

// hides says whether the fault hides calls, rather than spoiling an answer.
func (f Fault) hides() bool { return f.Kind == Lag || f.Kind == Forget }

// hide gives the calls that are left. Pure.
func (f Fault) hide(calls []Call, reference string, now time.Time) (left []Call, hidden bool) {
	for _, c := range calls {
		old := now.Sub(c.At) >= f.After
		if c.Reference == reference && old == (f.Kind == Forget) {
			hidden = true
			continue
		}
		left = append(left, c)
	}
	return left, hidden
}
