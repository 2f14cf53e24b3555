package outside

import (
	"errors"
	"fmt"
	"time"
)

// Service is how the service is spoken to, as the user's replay file says.
type Service struct {
	// Act is the call that has the effect, such as "POST /charges".
	Act Route
	// Reference is where that call carries its reference: "body.reference",
	// "header.Idempotency-Key" or "query.ref". Empty: it carries none.
	Reference string
	// Operation is where that call names the operation, such as "body.order_id".
	// By this the effects of code that sends no reference are counted. Empty: it
	// is not named.
	Operation string
	// LookUp is the call that asks for a reference: "GET /charges/{reference}" or
	// "GET /charges?reference={reference}". Empty: the service cannot be asked.
	LookUp Route
	// Remembers says that the service knows a reference again: a second call with
	// it gets the first one's reply and has no effect.
	Remembers bool
	// Window is how long it does so, from the effect and by its own clock. 0 is
	// for ever.
	Window time.Duration
}

// Validate says what is wrong, field by field.
func (s Service) Validate() error {
	_, err := s.read()
	return err
}

// plan is a service with its texts read.
type plan struct {
	act       pattern
	reference place
	operation place
	lookUp    *pattern
	remembers bool
	window    time.Duration
}

func (s Service) read() (p plan, err error) {
	p.remembers, p.window = s.Remembers, s.Window
	if p.act, err = s.Act.read(); err != nil {
		return p, fmt.Errorf("act: %w", err)
	}
	if p.act.asks() {
		return p, fmt.Errorf("act: %q: {reference} belongs to the look-up", s.Act)
	}
	if p.reference, err = readPlace(s.Reference); err != nil {
		return p, fmt.Errorf("reference: %w", err)
	}
	if p.operation, err = readPlace(s.Operation); err != nil {
		return p, fmt.Errorf("operation: %w", err)
	}
	if s.Remembers && s.Reference == "" {
		return p, errors.New("remembers: without a reference there is nothing to remember")
	}
	if s.Window < 0 || s.Window > 0 && !s.Remembers {
		return p, errors.New("window: is how long the service remembers; it needs remembers and is not negative")
	}
	if s.LookUp != "" {
		p.lookUp, err = s.readLookUp(p.act)
	}
	return p, err
}

func (s Service) readLookUp(act pattern) (*pattern, error) {
	l, err := s.LookUp.read()
	switch {
	case err != nil:
		return nil, fmt.Errorf("look_up: %w", err)
	case !l.asks():
		return nil, fmt.Errorf("look_up: %q names no {reference}", s.LookUp)
	case s.Reference == "":
		return nil, errors.New("look_up: without a reference there is nothing to look up")
	case l.method == act.method && l.overlaps(act):
		return nil, fmt.Errorf("look_up: %q cannot be told from act %q", s.LookUp, s.Act)
	}
	return &l, nil
}

// points are the faults that this service can have.
func (p plan) points() map[Kind]point {
	points := map[Kind]point{
		Hold: {atAct, 0}, DropBeforeAct: {atAct, 0}, Refuse: {atAct, 422},
		Delay: {atAct, 0}, ActThenDrop: {atAct, 0}, ActThenFail: {atAct, 500},
	}
	var forget stage
	if p.remembers {
		forget = atAct
	}
	if p.lookUp != nil {
		forget |= atLookUp
		points[LookUpFail] = point{atLookUp, 500}
		for _, k := range []Kind{Lag, LookUpSilence, LookUpEmpty, LookUpMalformed, LookUpOther, LookUpTwo} {
			points[k] = point{at: atLookUp}
		}
	}
	if forget != 0 {
		points[Forget] = point{at: forget}
	}
	return points
}
