package pgwire

import (
	"errors"

	"github.com/twiceproof/twiceproof/wire"
)

// requests carries what the worker says, until it goes.
func (s *session) requests() error {
	r := request{namer: newNamer()}
	defer func() { r.kept.Drop() }()
	for mine := false; ; {
		f, err := s.fromClient.next()
		if err != nil {
			return err
		}
		if f.kind == password { // and every other answer to an authentication request
			if _, err := s.up.Write(f.raw); err != nil {
				return err
			}
			continue
		}
		if !mine && !s.myTurn(&r) {
			return errGone
		}
		if mine, err = s.take(&r, f); err != nil {
			return err
		}
	}
}

func (s *session) myTurn(r *request) bool {
	select {
	case o := <-s.turn:
		r.answered(o)
		return true
	case <-s.over:
		return false
	}
}

// take adds a message to the step, and sends the step when it is complete. It
// says whether the turn is still with requests.
func (s *session) take(r *request, f frame) (mine bool, err error) {
	if r.passes(f) {
		_, err := s.up.Write(f.raw)
		return true, err
	}
	aborted := s.isAborted()
	if err := r.add(f); err != nil {
		return true, err
	}
	switch {
	case !r.complete(f, aborted):
		return true, nil
	case r.isNoStep(f, aborted):
		err := r.kept.Send(s.up)
		r.noStep()
		return true, err
	}
	return s.step(r, f)
}

func (s *session) step(r *request, last frame) (mine bool, err error) {
	x, err := s.proxy.gate.Enter(s.client, "postgres", s.proxy.peer, r.title())
	if err != nil {
		return false, err
	}
	x.Through(s.up)
	f := &flight{crossing: x, simple: r.simple, owed: r.isAnswered()}
	if r.flushed {
		f.expected = r.asked
	}
	err = s.begin(f, last.feeds())
	switch {
	case err == nil:
		return false, r.kept.Send(s.up) // when this fails, replies ends the step
	case errors.Is(err, errAborted):
		return true, s.feedNobody(r, x)
	}
	s.up.Close()
	x.Lost(err.Error())
	return false, err
}

// feedNobody: the reply is the error that the worker has by now.
func (s *session) feedNobody(r *request, x *wire.Crossing) error {
	if err := r.kept.Send(s.up); err != nil {
		s.up.Close()
		x.Lost(err.Error())
		return err
	}
	r.start()
	return x.Reply(errAborted.Error())
}
