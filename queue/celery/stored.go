package celery

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	amqp "github.com/rabbitmq/amqp091-go"
)

// Task is a task that can be put on a broker again: the same id, arguments, chain and
// chord, due at once and without expiry.
type Task struct {
	Exchange, RoutingKey string
	message              message
}

// Stored reads what the Python guard keeps of a task in its record.
func Stored(stored []byte) (Task, error) {
	var read struct {
		Headers    map[string]value `json:"headers"`
		Body       []value          `json:"body"`
		Exchange   string           `json:"exchange"`
		RoutingKey string           `json:"routing_key"`
		Priority   value            `json:"priority"`
		Group      value            `json:"MessageGroupId"`
	}
	if err := json.Unmarshal(stored, &read); err != nil {
		return Task{}, fmt.Errorf("the stored message cannot be read: %w", err)
	}
	id, ok := read.Headers["id"]
	if len(read.Body) != 3 || !ok || text(read.Headers["task"]) == "" || read.RoutingKey == "" {
		return Task{}, errors.New("the stored message is no task of Celery: it has no id, name, body or queue")
	}
	m := message{ContentEncoding: "utf-8", ContentType: "application/json", Headers: read.Headers, Properties: map[string]value{}}
	m.setBody(read.Body[0], read.Body[1], read.Body[2])
	for name, v := range map[string]any{
		"eta": nil, "expires": nil, "argsrepr": string(read.Body[0]), "kwargsrepr": string(read.Body[1]), "origin": "twiceproof",
	} {
		m.Headers[name] = raw(v)
	}
	if string(read.Priority) == "null" {
		read.Priority = nil
	}
	m.route(read.Exchange, read.RoutingKey, read.Priority)
	m.Properties["correlation_id"], m.Properties["reply_to"] = id, read.Headers["reply_to"]
	delete(m.Headers, "reply_to")
	if text(read.Group) != "" {
		m.Properties["MessageGroupId"] = read.Group
	}
	return Task{read.Exchange, read.RoutingKey, m}, nil
}

// Group is that of Amazon SQS. A FIFO queue has one for all that name none, as with Celery.
func (t Task) Group() (group string, fifo bool) {
	group, fifo = text(t.message.Properties["MessageGroupId"]), strings.HasSuffix(t.RoutingKey, fifoEnd)
	if group == "" && fifo {
		return "default", true
	}
	return group, fifo
}

// Envelope is the task as Celery writes it on Redis and SQS.
func (t Task) Envelope() []byte { return t.message.encode() }

// separator stands between the name of a queue on Redis and its priority.
const separator = "\x06\x16"

// List is the list of Redis that has the tasks of a queue with this one's priority: 3, 6
// and 9 have one of their own, and those between share it with the next lower one.
func (t Task) List(queue string) string {
	var priority int
	_ = json.Unmarshal(t.message.Properties["priority"], &priority) // none is 0
	if step := min(max(priority, 0), 9) / 3 * 3; step > 0 {
		return fmt.Sprint(queue, separator, step)
	}
	return queue
}

// Bindings is the set of Redis that says which queues an exchange leads to.
func (t Task) Bindings() string { return "_kombu.binding." + t.Exchange }

// Leads reads one of its members: the queue, if a task with this routing key goes there.
func (t Task) Leads(binding string) (queue string, ok bool) {
	parts := strings.Split(binding, separator)
	if len(parts) != 3 || parts[0] != t.RoutingKey {
		return "", false
	}
	return parts[2], true
}

// Publishing is the task as Celery writes it for AMQP.
func (t Task) Publishing() (amqp.Publishing, error) { return t.message.publishing() }
