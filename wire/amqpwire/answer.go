package amqpwire

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// answer carries what the broker says, until it goes.
func (s *session) answer() {
	defer close(s.over)
	under := contents{}
	defer under.drop()
	var err error
	for f := range s.replies.next {
		if err = s.hear(under, f); err != nil {
			break
		}
	}
	if err == nil {
		err = s.replies.err
	}
	s.proxy.Blame("broker", protocol, err)
	s.up.Close()
	s.end()
	if f := s.land(); f != nil {
		f.crossing.Lost(s.why(err))
	}
	s.client.Close()
	close(s.replies.stop)
}

func (s *session) hear(under contents, f frame) error {
	switch {
	case f.kind() != methodFrame && f.channel() == 0:
		return s.replies.send(f)
	case f.kind() != methodFrame:
		c, err := under.add(f)
		if c == nil || err != nil {
			return err
		}
		return s.gives(f.channel(), c)
	}
	m := methodOf(f)
	switch m {
	case connectionOpenOK:
		s.broker.become(opened)
	case connectionClose, connectionCloseOK:
		s.broker.become(over)
	}
	if m == basicDeliver || m == basicGetOK || m == basicReturn {
		message, noAck, err := s.comes(m, f)
		if err != nil {
			return err
		}
		return under.begin(f, message, m != basicReturn && !noAck)
	}
	if a := s.underWay(); a != nil && a.isAnsweredBy(m, f.channel()) {
		return s.finish(s.land(), m, f)
	}
	switch m {
	case channelClose, connectionClose, basicCancel:
		return s.deliver(Said{Method: names[m] + whyClosed(m, f), Channel: f.channel()}, f)
	}
	return s.replies.send(f)
}

func (f *flight) isAnsweredBy(m method, channel uint16) bool {
	return m == connectionClose || channel == f.said.Channel && (m == channelClose || slices.Contains(f.answers, m))
}

// names are the steps that the broker takes by itself.
var names = map[method]string{
	basicDeliver: "Basic.Deliver", basicGetOK: "Basic.Deliver", basicReturn: "Basic.Return",
	basicCancel: "Basic.Cancel", channelClose: "Channel.Close", connectionClose: "Connection.Close",
}

// comes reads what a content is delivered with.
func (s *session) comes(m method, f frame) (message Message, noAck bool, err error) {
	a := args(f)
	if m == basicReturn {
		a.number16() // the reason
		a.text()
	} else {
		tag := ""
		if m == basicDeliver {
			tag = a.text()
		}
		from := s.channels.consumer(f.channel(), tag)
		message.Queue, noAck = from.queue, from.noAck
		message.Tag, message.Redelivered = a.number64(), a.bit(0)
	}
	message.Exchange, message.RoutingKey = a.text(), a.text()
	if a.short {
		return message, false, wire.Wrong("%s is cut short", names[m])
	}
	return message, noAck, nil
}

// gives is a content that is whole. That of a Get ends the Get.
func (s *session) gives(channel uint16, c *content) error {
	defer c.Drop()
	if c.unacked {
		s.channels.delivered(channel, c.message)
	}
	said := Said{Method: names[c.method], Channel: channel, Messages: []Message{c.message}}
	if c.method != basicGetOK {
		return s.deliver(said, c)
	}
	f := s.land()
	if f == nil || !f.isAnsweredBy(basicGetOK, channel) {
		return wire.Wrong("it gives a message that nobody has asked for")
	}
	f.said.Status = "message"
	s.saw(f.crossing.Step(), f.said)
	err := f.crossing.Finish(f.said.Status)
	if err == nil {
		err = s.deliver(said, c)
	}
	if err == nil {
		s.turn <- struct{}{}
	}
	return err
}

func (s *session) deliver(said Said, what sender) error {
	x, err := s.proxy.gate.Deliver(s.client, s.up, "amqp", s.proxy.peer, s.name(said))
	if err != nil {
		return err
	}
	s.saw(x.Step(), said) // not later: the worker may acknowledge it at once, and that is seen after it
	if err := s.replies.sendStep(x.Onward, what); err != nil {
		x.Lost("client has gone")
		return err
	}
	return x.Finish("")
}

// finish passes an answer on, and hands the turn over.
func (s *session) finish(a *flight, m method, f frame) error {
	s.learn(m, f)
	a.said.Status = status(m, f)
	s.saw(a.crossing.Step(), a.said)
	if err := a.crossing.Reply(a.said.Status); err != nil {
		return err
	}
	if err := s.replies.send(f); err != nil {
		return err
	}
	s.turn <- struct{}{}
	return nil
}

// status is an answer without its values.
func status(m method, f frame) string {
	switch m {
	case basicGetEmpty:
		return "empty"
	case basicAck:
		return "confirmed"
	case basicNack:
		return "refused"
	case channelClose, connectionClose:
		return strings.TrimSpace(whyClosed(m, f))
	}
	return "OK"
}

var reason = regexp.MustCompile(`^[A-Z_]+`)

// whyClosed is why the broker closes a channel or the connection: " 404 NOT_FOUND". What
// comes after that may hold names.
func whyClosed(m method, f frame) string {
	if m == basicCancel {
		return ""
	}
	a := args(f)
	code, text := a.number16(), a.text()
	return strings.TrimRight(fmt.Sprintf(" %d %s", code, reason.FindString(text)), " ")
}

// learn keeps what later frames do not say again.
func (s *session) learn(m method, f frame) {
	a := args(f)
	switch m {
	case basicConsumeOK:
		tag := a.text()
		s.channels.with(f.channel(), func(c *channelState) { c.consumers[tag] = c.asked })
	case queueDeclareOK:
		queue := a.text()
		s.channels.with(f.channel(), func(c *channelState) { c.declared = queue })
	case basicRecoverOK:
		s.channels.with(f.channel(), func(c *channelState) { clear(c.unacked) })
	case confirmSelectOK:
		s.channels.with(f.channel(), func(c *channelState) { c.confirms = true })
	case channelClose, channelCloseOK:
		s.channels.forget(f.channel())
	}
}
