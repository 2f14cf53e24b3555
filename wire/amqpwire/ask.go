package amqpwire

import (
	"fmt"

	"github.com/twiceproof/twiceproof/wire"
)

// ask carries what the worker says, until it goes.
func (s *session) ask() error {
	under := contents{}
	defer under.drop()
	mine := true
	for f := range s.requests.next {
		if f.channel() == 0 {
			if err := s.control(f); err != nil {
				return err
			}
			continue
		}
		if !mine && !s.myTurn() {
			return errGone
		}
		var err error
		if mine, err = s.take(under, f); err != nil {
			return err
		}
	}
	return s.requests.err
}

func (s *session) myTurn() bool {
	select {
	case <-s.turn:
		return true
	case <-s.over:
		return false
	}
}

// control is the connection's own channel, which passes.
func (s *session) control(f frame) error {
	if f.kind() == methodFrame && methodOf(f) == connectionTuneOK {
		a := args(f)
		a.number16() // channels
		s.requests.from.max.Store(a.number32())
	}
	return s.requests.send(f)
}

// take takes a frame, and says whether the turn is still with the requests.
func (s *session) take(under contents, f frame) (mine bool, err error) {
	if f.kind() != methodFrame {
		c, err := under.add(f)
		if c == nil || err != nil {
			return true, err
		}
		return s.published(f.channel(), c)
	}
	m := methodOf(f)
	known, isStep := specs[m]
	if !isStep {
		return true, s.requests.send(f)
	}
	names, answered, err := known.of(f)
	if err != nil {
		return true, err
	}
	said := Said{Method: known.name, Channel: f.channel(), Names: names}
	var answers []method
	if answered {
		answers = known.answers
	}
	switch m {
	case basicPublish:
		return true, under.begin(f, Message{Exchange: names[0], RoutingKey: names[1]}, false)
	case basicAck, basicNack, basicReject:
		if err := s.acknowledges(m, f, &said); err != nil {
			return true, err
		}
	default:
		s.expect(m, f, names)
	}
	return s.step(said, answers, f)
}

// published is a content that is whole.
func (s *session) published(channel uint16, c *content) (mine bool, err error) {
	defer c.Drop()
	var answers []method
	s.channels.with(channel, func(ch *channelState) {
		if ch.confirms {
			answers = []method{basicAck, basicNack}
		}
	})
	said := Said{Method: specs[basicPublish].name, Channel: channel, Messages: []Message{c.message}}
	return s.step(said, answers, c)
}

func (s *session) acknowledges(m method, f frame, said *Said) error {
	a := args(f)
	tag, bits := a.number64(), a.octet()
	if a.short {
		return wire.Wrong("%s is cut short", said.Method)
	}
	multiple := m != basicReject && bits&1 != 0
	said.Requeue = m == basicNack && bits&2 != 0 || m == basicReject && bits&1 != 0
	said.Messages = s.channels.meant(f.channel(), tag, multiple)
	return nil
}

// expect keeps what the answer does not say again.
func (s *session) expect(m method, f frame, names []string) {
	a := args(f)
	switch m {
	case basicConsume:
		a.number16()
		a.text()
		tag, bits := a.text(), a.octet()
		s.channels.consume(f.channel(), tag, consumer{names[0], bits&2 != 0})
	case basicGet:
		a.number16()
		a.text()
		s.channels.consume(f.channel(), "", consumer{names[0], a.bit(0)})
	case confirmSelect:
		if a.bit(0) { // no answer is wanted
			s.channels.with(f.channel(), func(ch *channelState) { ch.confirms = true })
		}
	}
}

func (s *session) step(said Said, answers []method, what sender) (mine bool, err error) {
	x, err := s.proxy.gate.Enter(s.client, "amqp", s.proxy.peer, s.name(said))
	if err != nil {
		return true, err
	}
	due := func() { x.Through(s.up) }
	if len(answers) > 0 {
		if err := s.begin(&flight{crossing: x, said: said, answers: answers}); err != nil {
			due()
			s.up.Close()
			x.Lost(err.Error())
			return true, err
		}
		return false, s.requests.sendStep(due, what) // when this fails, answer ends the step
	}
	if err := s.requests.sendStep(due, what); err != nil {
		s.up.Close()
		x.Lost(fmt.Sprintf("broker has gone: %v", err))
		return true, err
	}
	s.channels.settled(said.Channel, said.Messages)
	s.saw(x.Step(), said)
	return true, x.Finish("")
}
