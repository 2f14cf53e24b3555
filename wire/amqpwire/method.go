package amqpwire

import (
	"encoding/binary"

	"github.com/twiceproof/twiceproof/wire"
)

// method is a class and a method of it.
type method uint32

func methodOf(f frame) method { return method(binary.BigEndian.Uint32(f.payload())) }

func args(f frame) *arguments { return &arguments{rest: f.payload()[4:]} }

// The methods that the proxy looks into.
const (
	connectionTuneOK  method = 10<<16 | 31
	connectionOpenOK  method = 10<<16 | 41
	connectionClose   method = 10<<16 | 50
	connectionCloseOK method = 10<<16 | 51
	channelOpen       method = 20<<16 | 10
	channelClose      method = 20<<16 | 40
	channelCloseOK    method = 20<<16 | 41
	queueDeclareOK    method = 50<<16 | 11
	basicConsume      method = 60<<16 | 20
	basicConsumeOK    method = 60<<16 | 21
	basicCancel       method = 60<<16 | 30
	basicPublish      method = 60<<16 | 40
	basicReturn       method = 60<<16 | 50
	basicDeliver      method = 60<<16 | 60
	basicGet          method = 60<<16 | 70
	basicGetOK        method = 60<<16 | 71
	basicGetEmpty     method = 60<<16 | 72
	basicAck          method = 60<<16 | 80
	basicReject       method = 60<<16 | 90
	basicRecoverOK    method = 60<<16 | 111
	basicNack         method = 60<<16 | 120
	confirmSelect     method = 85<<16 | 10
	confirmSelectOK   method = 85<<16 | 11
)

// spec is what a method of the worker looks like.
type spec struct {
	name    string
	answers []method // none: it is not answered
	// names are the short strings that its name is made from, after what is reserved.
	reserved, names int
	// noWait is the bit that says that no answer is wanted, in the octet after the names
	// and skip more short strings; -1: there is none.
	skip, noWait int
}

var specs = map[method]spec{
	channelOpen:  {"Channel.Open", []method{20<<16 | 11}, 0, 0, 0, -1},
	20<<16 | 20:  {"Channel.Flow", []method{20<<16 | 21}, 0, 0, 0, -1},
	channelClose: {"Channel.Close", []method{channelCloseOK}, 0, 0, 0, -1},

	40<<16 | 10: {"Exchange.Declare", []method{40<<16 | 11}, 2, 1, 1, 4},
	40<<16 | 20: {"Exchange.Delete", []method{40<<16 | 21}, 2, 1, 0, 1},
	40<<16 | 30: {"Exchange.Bind", []method{40<<16 | 31}, 2, 3, 0, 0},
	40<<16 | 40: {"Exchange.Unbind", []method{40<<16 | 51}, 2, 3, 0, 0},

	50<<16 | 10: {"Queue.Declare", []method{queueDeclareOK}, 2, 1, 0, 4},
	50<<16 | 20: {"Queue.Bind", []method{50<<16 | 21}, 2, 3, 0, 0},
	50<<16 | 30: {"Queue.Purge", []method{50<<16 | 31}, 2, 1, 0, 0},
	50<<16 | 40: {"Queue.Delete", []method{50<<16 | 41}, 2, 1, 0, 2},
	50<<16 | 50: {"Queue.Unbind", []method{50<<16 | 51}, 2, 3, 0, -1},

	60<<16 | 10:  {"Basic.Qos", []method{60<<16 | 11}, 0, 0, 0, -1},
	basicConsume: {"Basic.Consume", []method{basicConsumeOK}, 2, 1, 1, 3},
	basicCancel:  {"Basic.Cancel", []method{60<<16 | 31}, 0, 0, 1, 0},
	basicPublish: {"Basic.Publish", nil, 2, 2, 0, -1},
	basicGet:     {"Basic.Get", []method{basicGetOK, basicGetEmpty}, 2, 1, 0, -1},
	basicAck:     {"Basic.Ack", nil, 0, 0, 0, -1},
	basicReject:  {"Basic.Reject", nil, 0, 0, 0, -1},
	basicNack:    {"Basic.Nack", nil, 0, 0, 0, -1},
	60<<16 | 100: {"Basic.RecoverAsync", nil, 0, 0, 0, -1},
	60<<16 | 110: {"Basic.Recover", []method{basicRecoverOK}, 0, 0, 0, -1},

	confirmSelect: {"Confirm.Select", []method{confirmSelectOK}, 0, 0, 0, 0},
	90<<16 | 10:   {"Tx.Select", []method{90<<16 | 11}, 0, 0, 0, -1},
	90<<16 | 20:   {"Tx.Commit", []method{90<<16 | 21}, 0, 0, 0, -1},
	90<<16 | 30:   {"Tx.Rollback", []method{90<<16 | 31}, 0, 0, 0, -1},
}

// of reads the names of a method, and whether it is answered.
func (s spec) of(f frame) (names []string, answered bool, err error) {
	a := args(f)
	a.take(s.reserved)
	for range s.names {
		names = append(names, a.text())
	}
	for range s.skip {
		a.text()
	}
	answered = len(s.answers) > 0 && (s.noWait < 0 || !a.bit(s.noWait))
	if a.short {
		return nil, false, wire.Wrong("%s is cut short", s.name)
	}
	return names, answered, nil
}
