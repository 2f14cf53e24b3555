package respwire

import "strings"

// subscriptions tell what the server says by itself from what it answers.
type subscriptions struct {
	resp3 bool
	to    map[string]bool // verb and channel
	left  int             // confirmations to come of the command under way; 0: none has come
}

var confirmations = words("subscribe unsubscribe psubscribe punsubscribe ssubscribe sunsubscribe")

var messages = words("message pmessage smessage")

// opposite is subscribe of unsubscribe, and each other word itself.
func opposite(verb string) string { return strings.Replace(verb, "unsub", "sub", 1) }

// isUnasked says that a value answers nothing. In RESP2 a message looks like a reply, but
// there are no other such arrays on a connection that has subscribed.
func (s *subscriptions) isUnasked(f *flight, v Value) bool {
	switch {
	case f == nil:
		return true
	case v.Kind == push:
		return f.crossing != nil || !f.command.subscribes() || !isConfirmation(v)
	}
	return !s.resp3 && len(s.to) > 0 && v.Kind == array && messages[string(v.at(0).Text)]
}

func (c Command) subscribes() bool { return confirmations[strings.ToLower(c.Name)] }

func isConfirmation(v Value) bool {
	return (v.Kind == push || v.Kind == array) && confirmations[string(v.at(0).Text)]
}

// endsWith says whether the answer to what is no step ends with this value. That to a
// SUBSCRIBE has one for each channel.
func (s *subscriptions) endsWith(c Command, v Value) bool {
	switch {
	case c.Name == "HELLO" && !v.IsError():
		s.resp3 = v.Kind == mapping
	case c.Name == "RESET" && !v.IsError():
		s.resp3 = false
		clear(s.to)
	case c.subscribes() && isConfirmation(v):
		return s.confirmed(c, v)
	}
	s.left = 0
	return true
}

func (s *subscriptions) confirmed(c Command, v Value) bool {
	if s.left == 0 {
		s.left = s.expected(c)
	}
	verb, channel := string(v.at(0).Text), string(v.at(1).Text)
	if on := opposite(verb); on != verb {
		delete(s.to, on+" "+channel)
	} else {
		s.to[verb+" "+channel] = true
	}
	s.left--
	return s.left == 0
}

// expected is how many confirmations come: without channels, one for each that there is,
// and one if there is none.
func (s *subscriptions) expected(c Command) (n int) {
	if len(c.Args) > 0 {
		return len(c.Args)
	}
	on := opposite(strings.ToLower(c.Name)) + " "
	for channel := range s.to {
		if strings.HasPrefix(channel, on) {
			n++
		}
	}
	return max(1, n)
}
