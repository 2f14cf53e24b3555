package respwire

import (
	"fmt"

	"github.com/twiceproof/twiceproof/wire"
)

// maxQueued bounds what is kept of a transaction's commands for those who look.
const maxQueued = 1000

// request is what requests knows of the connection.
type request struct {
	queueing bool // after MULTI
	queued   []Command
	more     bool // than were kept
	silent   bool // CLIENT REPLY OFF
	skips    bool // CLIENT REPLY SKIP: the next one is not answered
}

// requests carries what the worker says, until it goes.
func (s *session) requests() error {
	defer s.fromClient.kept.Drop()
	var r request
	for mine := true; ; {
		c, err := s.fromClient.command()
		if err != nil {
			return err
		}
		if !mine && !s.myTurn() {
			return errGone
		}
		if mine, err = s.take(&r, c); err != nil {
			return err
		}
	}
}

func (s *session) myTurn() bool {
	select {
	case <-s.turn:
		return true
	case <-s.over:
		return false
	}
}

// take sends a command, and says whether the turn is still with requests.
func (s *session) take(r *request, c Command) (mine bool, err error) {
	answered := !r.silent && !r.skips
	r.skips = false
	switch kind := r.kind(c); {
	case kind == nothing:
		return true, s.fromClient.kept.Send(s.up)
	case kind == replication:
		return true, wire.Wrong("%s is replication, which is not carried", c.Name)
	case kind == muting:
		return true, s.mute(r, c)
	case kind == background && answered:
		return true, s.pass(c)
	case kind == background:
		return true, s.fromClient.kept.Send(s.up)
	default:
		said := r.said(c)
		x, err := s.proxy.gate.Enter(s.client, "redis", s.proxy.peer, s.proxy.name(said))
		if err != nil {
			return true, err
		}
		x.Through(s.up)
		if answered {
			return false, s.step(&flight{command: c, crossing: x, said: said})
		}
		return true, s.unanswered(x, said)
	}
}

// pass sends what is no step and is answered; together with what the worker has sent
// behind it, such as the whole of a transaction.
func (s *session) pass(c Command) error {
	if err := s.begin(&flight{command: c}); err != nil {
		return err
	}
	return passOn(s.fromClient, s.up)
}

func (s *session) step(f *flight) error {
	if err := s.begin(f); err != nil {
		s.up.Close()
		f.crossing.Lost(err.Error())
		return err
	}
	return s.fromClient.kept.Send(s.up) // when this fails, replies ends the step
}

func (s *session) unanswered(x *wire.Crossing, said Said) error {
	if err := s.fromClient.kept.Send(s.up); err != nil {
		s.up.Close()
		x.Lost(fmt.Sprintf("server has gone: %v", err))
		return err
	}
	s.proxy.saw(x.Step(), said)
	return x.Finish(unanswered)
}

// mute is CLIENT REPLY, of which only ON is answered.
func (s *session) mute(r *request, c Command) error {
	switch c.upper(1) {
	case "OFF":
		r.silent = true
	case "SKIP":
		r.skips = !r.silent
	case "ON":
		r.silent = false
		return s.pass(c)
	default:
		if !r.silent {
			return s.pass(c) // an error
		}
	}
	return s.fromClient.kept.Send(s.up)
}
