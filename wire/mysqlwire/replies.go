package mysqlwire

import "github.com/twiceproof/twiceproof/wire"

// flight is a step that was let through, until its reply has been passed on.
type flight struct {
	crossing *wire.Crossing
	answer   *answer
	reply    wire.Spool
}

// replies carries what the server says, until it goes.
func (s *session) replies() {
	defer close(s.over)
	var err error
	for err == nil {
		err = s.reply()
	}
	s.proxy.Blame("server", protocol, err)
	s.up.Close()
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	if f := s.land(); f != nil {
		f.reply.Drop()
		f.crossing.Lost(s.why(err))
	}
	s.client.Close()
}

func (s *session) reply() error {
	p, err := s.fromServer.next()
	if err != nil {
		return err
	}
	f := s.underWay()
	if f == nil {
		return s.pass(p)
	}
	ended, err := f.answer.see(p)
	if err != nil {
		return err
	}
	if err := f.reply.Add(p.raw); err != nil {
		return err
	}
	if f.answer.asks {
		f.answer.asks = false
		s.feeds.Store(true) // before the worker can begin
		return f.reply.Send(s.client)
	}
	if !ended {
		return nil
	}
	return s.finish(s.land())
}

// pass passes on what belongs to no step: the login, and the server's last word before
// it ends a connection.
func (s *session) pass(p packet) error {
	p.raw[3] += s.shift()
	if _, err := s.client.Write(p.raw); err != nil {
		return err
	}
	verdict := p.kind() == isOK || p.kind() == isError
	if verdict && !p.continues && s.loggedIn() {
		s.within = false
		s.turn <- outcome{}
	}
	return nil
}

// finish passes a reply on, and hands the turn over.
func (s *session) finish(f *flight) error {
	if err := f.crossing.Reply(f.answer.status()); err != nil {
		f.reply.Drop()
		return err
	}
	if err := f.reply.Send(s.client); err != nil {
		return err
	}
	s.within = f.answer.within
	s.turn <- outcome{statement: f.answer.statement, failed: f.answer.failed}
	return nil
}

func (s *session) why(err error) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return "client has gone"
	}
	return "server has gone: " + err.Error()
}
