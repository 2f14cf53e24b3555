package celery

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/twiceproof/twiceproof/queue"
)

// standard is Celery's own name for its queue.
const standard = "celery"

// message is one message of a task, in the form that Celery gives it on Redis and SQS: an
// envelope of JSON. It is kept raw, so that every digit and every field stays.
type message struct {
	Body            string           `json:"body"`
	ContentEncoding string           `json:"content-encoding"`
	ContentType     string           `json:"content-type"`
	Headers         map[string]value `json:"headers"`
	Properties      map[string]value `json:"properties"`
}

type value = json.RawMessage

// read reads an envelope; false: it is none of a task, as an answer to a remote command.
func read(envelope []byte) (m message, ok bool) {
	err := json.Unmarshal(envelope, &m)
	return m, err == nil && m.id() != "" && m.task() != ""
}

func (m message) id() string   { return text(m.Headers["id"]) }
func (m message) task() string { return text(m.Headers["task"]) }

// tag names this copy at the broker. The copies of one task have the same id.
func (m message) tag() string { return text(m.Properties["delivery_tag"]) }

// queue is where it was put on.
func (m message) queue() string {
	var info struct {
		Exchange   string `json:"exchange"`
		RoutingKey string `json:"routing_key"`
	}
	_ = json.Unmarshal(m.Properties["delivery_info"], &info)
	if info.RoutingKey == "" {
		return standard
	}
	return info.RoutingKey
}

// eta is when its worker is to begin, by the machine's clock; false: at once.
func (m message) eta() (time.Time, bool) {
	written := text(m.Headers["eta"])
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999"} {
		if at, err := time.Parse(layout, written); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func (m message) encode() []byte {
	encoded, _ := json.Marshal(m) // of texts and of JSON
	return encoded
}

// again is the same message as another copy, due at once.
func (m message) again() message {
	m.Headers, m.Properties = maps.Clone(m.Headers), maps.Clone(m.Properties)
	m.Headers["eta"] = raw(nil)
	m.Properties["delivery_tag"] = raw(uuid.NewString())
	return m
}

// redelivered is the same copy, with the mark that the broker's own client writes.
func (m message) redelivered() message {
	m.Headers, m.Properties = maps.Clone(m.Headers), maps.Clone(m.Properties)
	m.Headers["redelivered"] = raw(true)
	info := map[string]value{}
	if json.Unmarshal(m.Properties["delivery_info"], &info) == nil {
		info["redelivered"] = raw(true)
		m.Properties["delivery_info"] = raw(info)
	}
	return m
}

// newMessage is what a client of Celery makes of a call: the template holds args and
// kwargs, and may name the queue and the application's own headers.
func newMessage(task string, template queue.Message) (m message, err error) {
	call := struct {
		Args    value            `json:"args"`
		Kwargs  value            `json:"kwargs"`
		Queue   string           `json:"queue"`
		Headers map[string]value `json:"headers"`
	}{value("[]"), value("{}"), standard, nil}
	if err := json.Unmarshal([]byte(template.Body), &call); err != nil {
		return m, fmt.Errorf("the message is no call: %w", err)
	}
	id := uuid.NewString()
	m = message{ContentEncoding: "utf-8", ContentType: "application/json", Headers: map[string]value{}, Properties: map[string]value{}}
	m.setBody(call.Args, call.Kwargs, raw(map[string]any{"callbacks": nil, "errbacks": nil, "chain": nil, "chord": nil}))
	for name, v := range map[string]any{
		"lang": "py", "task": task, "id": id, "root_id": id, "parent_id": nil, "group": nil, "group_index": nil, "shadow": nil,
		"retries": 0, "eta": nil, "expires": nil, "timelimit": []any{nil, nil}, "ignore_result": false, "origin": "replay",
		"argsrepr": string(call.Args), "kwargsrepr": string(call.Kwargs),
	} {
		m.Headers[name] = raw(v)
	}
	for name, v := range call.Headers {
		if _, taken := m.Headers[name]; taken {
			return m, fmt.Errorf("the message has a header %s, which is Celery's own: write the application's headers alone", name)
		}
		m.Headers[name] = v
	}
	m.route("", call.Queue, nil)
	m.Properties["correlation_id"], m.Properties["reply_to"] = raw(id), raw("")
	return m, nil
}

// setBody writes the body that protocol 2 has: arguments, and what follows the task.
func (m *message) setBody(args, kwargs, embedded value) {
	m.Body = base64.StdEncoding.EncodeToString(raw([]value{args, kwargs, embedded}))
}

// route names exchange and queue, as a new copy.
func (m *message) route(exchange, key string, priority value) {
	if priority == nil {
		priority = value("0")
	}
	for name, v := range map[string]any{
		"delivery_info": map[string]any{"exchange": exchange, "routing_key": key}, "priority": priority,
		"delivery_mode": 2, "body_encoding": "base64", "delivery_tag": uuid.NewString(),
	} {
		m.Properties[name] = raw(v)
	}
}

func raw(v any) value {
	encoded, _ := json.Marshal(v) // plain values
	return encoded
}

func text(v value) (s string) {
	_ = json.Unmarshal(v, &s) // null and numbers are no text
	return strings.TrimSpace(s)
}
