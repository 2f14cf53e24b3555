package mysqlwire

import "github.com/twiceproof/twiceproof/wire"

// requests carries what the worker says, until it goes.
func (s *session) requests() error {
	r := newRequest()
	defer func() { r.kept.Drop() }()
	for mine := false; ; {
		p, err := s.fromClient.next()
		if err != nil {
			return err
		}
		if !p.continues {
			r.answers = s.feed(p) || !p.starts()
		}
		if r.answers {
			p.raw[3] -= s.shift()
			if _, err := s.up.Write(p.raw); err != nil {
				return err
			}
			continue
		}
		if !mine && !s.myTurn(r) {
			return errGone
		}
		if mine, err = s.take(r, p); err != nil {
			return err
		}
	}
}

// feed: a file has any number of packets, and an empty one at its end. Their numbers begin
// again at 0, as that of a command.
func (s *session) feed(p packet) bool {
	if !s.feeds.Load() {
		return false
	}
	s.feeds.Store(len(p.payload()) > 0)
	return true
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
		return true, s.unknown(p)
	case silent, login:
		return s.passes(r, p)
	}
	if err := r.add(p); err != nil || p.more {
		return true, err
	}
	return false, s.step(r)
}

// unknown: some clients compress what they say whether that was offered or not.
func (s *session) unknown(p packet) error {
	if s.compresses {
		return wire.Wrong("it compresses, which is not offered: leave that out of what it connects with")
	}
	return wire.Wrong("command %#x is not known", p.kind())
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
	f := &flight{crossing: x, answer: newAnswer(r.shape, s.noEOF, s.within, r.verbs())}
	if err := s.begin(f); err != nil {
		s.up.Close()
		x.Lost(err.Error())
		return err
	}
	return r.kept.Send(s.up) // when this fails, replies ends the step
}
