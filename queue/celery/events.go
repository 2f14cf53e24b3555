package celery

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
)

// taskEvent is what a worker tells of a task, such as task-succeeded.
type taskEvent struct{ kind, id string }

func (e taskEvent) ends() bool {
	switch e.kind {
	case "task-succeeded", "task-failed", "task-retried", "task-rejected", "task-revoked":
		return true
	}
	return false
}

// isEventKey: what is published there are task events, one or several.
func isEventKey(key string) bool { return strings.Contains(key, "celeryev/task.") }

// bodyOf is the body of an envelope, whatever it is of.
func bodyOf(envelope []byte) []byte {
	var m message
	_ = json.Unmarshal(envelope, &m) // then there is none
	body, _ := base64.StdEncoding.DecodeString(m.Body)
	return body
}

// eventsIn reads one event, or a list.
func eventsIn(body []byte) (all []taskEvent) {
	type told struct{ Type, UUID string }
	var list []told
	if json.Unmarshal(body, &list) != nil {
		list = make([]told, 1)
		_ = json.Unmarshal(body, &list[0]) // or it has no id
	}
	for _, one := range list {
		if one.UUID != "" {
			all = append(all, taskEvent{one.Type, one.UUID})
		}
	}
	return all
}

// The remote commands that every worker hears.
const (
	remote = "celery.pidbox"
	answer = "reply." + remote
)

// commands ask the workers when they acknowledge each task, and make them tell their task
// events.
func commands() []message {
	return []message{
		command("registered", map[string]any{"taskinfoitems": []string{lateItem}}),
		command("enable_events", nil),
	}
}

// answerTo is the routing key of what a worker answers.
const answerTo = "replay"

const lateItem = "acks_late"

// command is for the workers that are named, or for all of them.
func command(method string, arguments map[string]any, destination ...string) message {
	if arguments == nil {
		arguments = map[string]any{}
	}
	m := message{
		Body: base64.StdEncoding.EncodeToString(raw(map[string]any{
			"method": method, "arguments": arguments, "destination": destination, "ticket": uuid.NewString(),
			"reply_to": map[string]any{"exchange": answer, "routing_key": answerTo},
		})),
		ContentEncoding: "utf-8", ContentType: "application/json", Headers: map[string]value{"clock": raw(1)}, Properties: map[string]value{},
	}
	m.route(remote, "", nil)
	return m
}

// answered is what a worker says to one of the commands.
type answered struct {
	late  map[string]bool // by task
	tells bool
}

// readAnswer reads tasks, each with "[acks_late=True]" behind it, or that events are told
// from now on, by the name of the worker.
func readAnswer(body []byte) (a answered) {
	var all map[string]value
	_ = json.Unmarshal(body, &all) // else it is no answer
	for _, one := range all {
		var tasks []string
		var done struct{ OK string }
		if json.Unmarshal(one, &done) == nil && done.OK != "" {
			a.tells = true
		}
		if json.Unmarshal(one, &tasks) != nil {
			continue
		}
		a.late = map[string]bool{}
		for _, task := range tasks {
			if name, said, ok := strings.Cut(task, " ["+lateItem+"="); ok {
				a.late[name] = strings.HasPrefix(said, "True")
			}
		}
	}
	return a
}
