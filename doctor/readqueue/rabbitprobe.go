package readqueue

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	amqp "github.com/rabbitmq/amqp091-go"
)

// probe asks AMQP how a queue was declared. There is no question for that, but an answer:
// a declaration that differs from the queue is refused, and the refusal names one
// difference and what is there instead. Each try has an argument of an impossible type in
// it, so that it is refused also when the queue has just gone: it can never make one.
type probe struct {
	conn                *amqp.Connection
	queue               string
	durable, autoDelete bool
	known               amqp.Table
}

// wanted are the arguments that matter, each with a value that no queue can have. A
// refusal may name others on the way.
var wanted = []struct {
	name       string
	impossible any
}{
	{"x-expires", "never"}, {"x-message-ttl", "never"}, {"x-max-length", "never"}, {"x-max-length-bytes", "never"},
	{"x-delivery-limit", "never"}, {"x-overflow", int32(0)},
}

// tries bounds a broker whose refusals are not understood.
const tries = 40

var refusal = regexp.MustCompile(`inequivalent arg '([^']+)' for queue .*: received .* but current is (?:none|(?:the value )?'(.*?)'(?: of type '(\w+)')?)$`)

func (p *probe) all() error {
	for _, w := range wanted {
		if _, is := p.known[w.name]; is {
			continue
		}
		if err := p.one(w.name, w.impossible); err != nil {
			return err
		}
	}
	return nil
}

// one learns one argument, and those that stand in its way.
func (p *probe) one(name string, impossible any) error {
	for range tries {
		arguments := amqp.Table{name: impossible}
		for k, v := range p.known {
			arguments[k] = v
		}
		err := p.declare(arguments)
		var answer *amqp.Error
		if err == nil || !errors.As(err, &answer) || answer.Code != amqp.PreconditionFailed {
			return err
		}
		m := refusal.FindStringSubmatch(answer.Reason)
		if m == nil {
			return fmt.Errorf("the broker's answer is not understood: %w", err)
		}
		if p.learn(m[1], m[2], m[3]); m[1] == name {
			return nil
		}
	}
	return fmt.Errorf("the broker gave no answer about %s", name)
}

func (p *probe) declare(arguments amqp.Table) error {
	channel, err := p.conn.Channel()
	if err != nil {
		return err
	}
	defer func() { _ = channel.Close() }() // the refusal has closed it
	_, err = channel.QueueDeclare(p.queue, p.durable, p.autoDelete, false, false, arguments)
	return err
}

// learn: the type is told only where ours was the same; then a number is one.
func (p *probe) learn(name, value, kind string) {
	n, notNumber := strconv.ParseInt(value, 10, 64)
	switch {
	case name == "durable":
		p.durable = value == "true"
	case name == "auto_delete":
		p.autoDelete = value == "true"
	case value == "": // none
	case kind == "bool":
		p.known[name] = value == "true"
	case notNumber == nil && kind != "longstr":
		p.known[name] = n
	default:
		p.known[name] = value
	}
}
