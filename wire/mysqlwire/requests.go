package mysqlwire

import (
	"errors"
	"fmt"
)

var errUnknown = errors.New("unknown command")

// requests carries what the worker says, until it goes.
func (s *session) requests() {
	r := newRequest()
	defer func() { r.kept.Drop() }()
	for mine := false; ; {
		p, err := s.fromClient.next()
		if err != nil {
			return
		}
		if !p.continues {
			r.answers = !p.starts()
		}
		if r.answers {
			p.raw[3] -= s.shift()
			if _, err := s.up.Write(p.raw); err != nil {
				return
			}
			continue
		}
		if !mine && !s.myTurn(r) {
			return
		}
		if mine, err = s.take(r, p); err != nil {
			return
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

// take adds a packet to the step, and sends the step when it is complete. It says
// whether the turn is still with requests.
func (s *session) take(r *request, p packet) (mine bool, err error) {
	if !p.continues {
		r.begin(p.kind())
	}
	switch r.shape {
	case unknown:
		return true, fmt.Errorf("%w %#x", errUnknown, p.kind())
	case silent, login:
		return s.passes(r, p)
	}
	if err := r.add(p); err != nil || p.more {
		return true, err
	}
	return false, s.step(r)
}

// passes sends what is no step.
func (s *session) passes(r *request, p packet) (mine bool, err error) {
	r.see(p)
	if r.shape == login {
		s.login()
	}
	_, err = s.up.Write(p.raw)
	return r.shape == silent || p.more, err
}

func (s *session) step(r *request) error {
	x, err := s.proxy.gate.Enter(s.client, "mysql", s.proxy.peer, r.title())
	if err != nil {
		return err
	}
	x.Through(s.up)
	f := &flight{crossing: x, answer: newAnswer(r.shape, s.noEOF, r.verbs())}
	if err := s.begin(f); err != nil {
		s.up.Close()
		x.Lost(err.Error())
		return err
	}
	return r.kept.Send(s.up) // when this fails, replies ends the step
}
