package respwire

// replies carries what the server says, until it goes.
func (s *session) replies() {
	defer close(s.over)
	defer s.fromServer.kept.Drop()
	var err error
	for err == nil {
		err = s.reply()
	}
	s.proxy.Blame("server", protocol, err)
	s.up.Close()
	for _, f := range s.end() {
		if f.crossing != nil {
			f.crossing.Lost(s.why(err))
		}
	}
	s.client.Close()
}

func (s *session) reply() error {
	v, err := s.fromServer.value()
	if err != nil {
		return err
	}
	f := s.first()
	switch {
	case s.isUnasked(f, v):
	case f.crossing != nil:
		return s.finish(f, v)
	case s.endsWith(f.command, v):
		s.land()
	}
	return passOn(s.fromServer, s.client)
}

// finish passes a reply on, and hands the turn over.
func (s *session) finish(f *flight, v Value) error {
	f.said.Reply = v
	s.proxy.saw(f.crossing.Step(), f.said)
	s.land()
	var err error
	if from, _ := f.said.Taken(); from != nil {
		err = s.deliver(f)
	} else if err = f.crossing.Reply(status(f.said)); err == nil {
		err = s.fromServer.kept.Send(s.client)
	}
	if err == nil {
		s.turn <- struct{}{}
	}
	return err
}

// deliver ends the poll, and makes its reply a step of its own.
func (s *session) deliver(f *flight) error {
	if err := f.crossing.Finish(hasMessage); err != nil {
		return err
	}
	said := f.said
	said.Delivery = true
	x, err := s.proxy.gate.Deliver(s.client, s.up, "redis", s.proxy.peer, s.proxy.name(said))
	if err != nil {
		return err
	}
	x.Onward()
	if err := s.fromServer.kept.Send(s.client); err != nil {
		x.Lost("client has gone")
		return err
	}
	s.proxy.saw(x.Step(), said)
	return x.Finish("")
}
