package celery

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/amqpwire"
)

// watch follows what one process says to RabbitMQ.
func (r *rabbitBroker) watch(worker string) amqpwire.Options {
	return amqpwire.Options{
		Name: func(said amqpwire.Said) string { return r.name(worker, said) },
		Saw:  func(_ wire.Step, said amqpwire.Said) { r.saw(worker, said) },
	}
}

func (r *rabbitBroker) saw(worker string, said amqpwire.Said) {
	for _, one := range said.Messages {
		switch said.Method {
		case "Basic.Deliver":
			if m, ok := readAMQP(one); ok {
				r.rename(&m, tagOf(worker, said, one), one.Redelivered)
				r.received(worker, m, placeOf(one), true)
			}
		case "Basic.Publish":
			r.published(worker, one)
		case "Basic.Ack":
			r.acknowledged(worker, tagOf(worker, said, one))
		case "Basic.Nack", "Basic.Reject":
			r.rejected(worker, tagOf(worker, said, one), said.Requeue)
		}
	}
}

func (r *rabbitBroker) published(worker string, one amqpwire.Message) {
	switch {
	case strings.HasPrefix(one.Exchange, "celeryev"):
		for _, e := range eventsIn(one.Body) {
			r.said(worker, e)
		}
	case one.Exchange == answer:
		r.hears(worker, readAnswer(one.Body))
	default:
		if m, ok := readAMQP(one); ok {
			r.arrived(worker, m, placeOf(one))
		}
	}
}

// rejected: with requeue it is back where it was.
func (r *rabbitBroker) rejected(worker, tag string, requeue bool) {
	if !requeue {
		r.acknowledged(worker, tag)
		return
	}
	if m, place, ok := r.inHandOf(worker, tag); ok {
		r.restored(worker, m, place)
	}
}

// readAMQP reads a message of a task as though it were an envelope.
func readAMQP(one amqpwire.Message) (m message, ok bool) {
	m = message{
		Body: base64.StdEncoding.EncodeToString(one.Body), ContentEncoding: "utf-8", ContentType: "application/json",
		Headers: map[string]value{}, Properties: map[string]value{},
	}
	for name, v := range headersOf(one.Headers) {
		m.Headers[name] = raw(v)
	}
	m.route("", placeOf(one), nil)
	m.Properties["correlation_id"] = raw(one.CorrelationID)
	if one.MessageID != "" {
		m.Properties["delivery_tag"] = raw(one.MessageID)
	}
	return m, m.id() != "" && m.task() != ""
}

// placeOf is the queue.
func placeOf(one amqpwire.Message) string {
	if one.Queue != "" {
		return one.Queue
	}
	return one.RoutingKey
}

// tagOf names a delivery: the broker counts them on each channel.
func tagOf(worker string, said amqpwire.Said, one amqpwire.Message) string {
	return fmt.Sprintf("%s/%d/%d/%d", worker, said.Connection, said.Channel, one.Tag)
}

// name calls a step by what it means to the messages.
func (r *rabbitBroker) name(worker string, said amqpwire.Said) string {
	if len(said.Messages) == 0 {
		return ""
	}
	first := said.Messages[0]
	switch said.Method {
	case "Basic.Ack":
		return r.nameOfAck(worker, tagOf(worker, said, first))
	case "Basic.Publish":
		if strings.HasPrefix(first.Exchange, "celeryev") && strings.HasPrefix(first.RoutingKey, "task") {
			return r.nameOfEvents(worker, eventsIn(first.Body))
		}
	}
	return ""
}

// isConsume: the worker asks for tasks. It also asks for remote commands and for events.
func isConsume(s wire.Step) bool {
	queueName, ok := strings.CutPrefix(s.Text, "Basic.Consume ")
	return ok && s.Peer == queue.Peer && !strings.Contains(queueName, "pidbox") && !strings.Contains(queueName, "celeryev")
}

func (r *rabbitBroker) isEnd(s wire.Step) bool { return s.Text == stepAck || s.Text == stepEnd }

// crossed: before a worker asks for tasks it is told to tell its task events.
func (r *rabbitBroker) crossed(worker string, e wire.Event) {
	if !isConsume(e.Step) {
		return
	}
	switch e.Phase {
	case wire.Held:
		if first := r.comes(worker); first {
			go r.command(worker)
		}
	case wire.Passed:
		r.consumes(worker)
	}
}
