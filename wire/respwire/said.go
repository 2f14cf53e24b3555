package respwire

// Said is what was said in a step.
type Said struct {
	// Commands has one command, or those of a transaction without MULTI and EXEC.
	Commands []Command
	// Transaction: the step is a MULTI … EXEC.
	Transaction bool
	// Delivery: the step is the delivery of what the command has taken off a list.
	Delivery bool
	// Reply is empty before it has come, and when none will. Of a transaction it is
	// EXEC's: an array with the replies in order, an error, or null.
	Reply Value
}

// polls are the commands that take a message away, at once or when there is one.
var polls = words("BLPOP BRPOP LPOP RPOP BLMOVE BRPOPLPUSH LMOVE RPOPLPUSH BLMPOP LMPOP XREADGROUP")

// Taken is what a poll has got, as far as it was kept: the key it comes from, and the
// messages; of a stream those are empty. Without a message, or in a transaction, the key
// is nil.
func (s Said) Taken() (from []byte, messages [][]byte) {
	if s.Transaction || len(s.Commands) != 1 || s.Reply.IsError() || s.Reply.IsNull() || s.Reply.Kind == 0 {
		return nil, nil
	}
	c := s.Commands[0]
	switch c.Name {
	case "BLPOP", "BRPOP":
		return s.Reply.at(0).Text, texts(s.Reply.Elements[min(1, len(s.Reply.Elements)):])
	case "LMPOP", "BLMPOP":
		return s.Reply.at(0).Text, texts(s.Reply.at(1).Elements)
	case "LPOP", "RPOP", "LMOVE", "RPOPLPUSH", "BLMOVE", "BRPOPLPUSH":
		if len(c.Args) == 0 {
			return nil, nil
		}
		if s.Reply.Kind == array {
			return nonEmpty(c.Args[0], texts(s.Reply.Elements))
		}
		return c.Args[0], [][]byte{s.Reply.Text}
	case "XREADGROUP":
		return s.stream(), nil
	}
	return nil, nil
}

func nonEmpty(from []byte, messages [][]byte) ([]byte, [][]byte) {
	if len(messages) == 0 {
		return nil, nil
	}
	return from, messages
}

func texts(all []Value) (out [][]byte) {
	for _, v := range all {
		out = append(out, v.Text)
	}
	return out
}

// stream is the first one of which entries came: pairs of stream and entries in RESP2, a
// map in RESP3.
func (s Said) stream() []byte {
	if s.Reply.Kind == mapping {
		return s.Reply.at(0).Text
	}
	return s.Reply.at(0).at(0).Text
}
