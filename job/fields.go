package job

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Fields is a message as the paths see it: decoded JSON under the roots that
// its queue has. A number is a json.Number, so that every digit is kept; int
// and int64 are taken as integers.
//
//	SQS      body, attributes
//	Celery   args, kwargs (a call by position is bound to its signature first), headers (the application's own)
//	RQ       args, kwargs, as the job was put on
//	Sidekiq  args, job (the whole job, for what a middleware has put beside its args)
type Fields map[string]any

// FieldsOfSQS reads an SQS message. A body that starts with { or [ must be
// sound JSON; another body is read as JSON when all of it is one JSON value,
// and is a plain string otherwise: 42 is an integer, ORD-42 and 0042 are
// strings.
func FieldsOfSQS(body []byte, attributes map[string]string) (Fields, error) {
	decoded, err := bodyOf(body)
	if err != nil {
		return nil, fmt.Errorf("read message body: %w", err)
	}
	attrs := make(map[string]any, len(attributes))
	for name, value := range attributes {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, fmt.Errorf("read message attributes: %w", errNotUTF8)
		}
		attrs[name] = value
	}
	return Fields{rootBody: decoded, rootAttributes: attrs}, nil
}

// FieldsOf reads a message of any queue, as its queue keeps it. Attributes are of SQS
// only.
func FieldsOf(q Queue, body []byte, attributes map[string]string) (Fields, error) {
	switch q {
	case Sidekiq:
		return FieldsOfSidekiq(body)
	case Celery:
		return fieldsOfCall(body, rootArgs, rootKwargs, rootHeaders)
	case RQ:
		return fieldsOfCall(body, rootArgs, rootKwargs)
	}
	return FieldsOfSQS(body, attributes)
}

// FieldsOfSidekiq reads the JSON of a Sidekiq job. ActiveJob wraps the arguments of its own
// job in the only one of Sidekiq's.
func FieldsOfSidekiq(payload []byte) (Fields, error) {
	decoded, err := objectOf(payload)
	if err != nil {
		return nil, err
	}
	args, ok := decoded[rootArgs].([]any)
	if _, wraps := decoded["wrapped"]; ok && wraps && len(args) == 1 {
		inner, _ := args[0].(map[string]any)
		args, ok = inner["arguments"].([]any)
	}
	if !ok {
		return nil, errors.New("read Sidekiq job: it has no list args")
	}
	return Fields{rootArgs: args, rootJob: decoded}, nil
}

// fieldsOfCall reads a call: {"args": […], "kwargs": {…}, "headers": {…}}, each of which
// may be left out.
func fieldsOfCall(call []byte, roots ...string) (Fields, error) {
	decoded, err := objectOf(call)
	if err != nil {
		return nil, err
	}
	fields := Fields{}
	for _, root := range roots {
		if fields[root] = map[string]any{}; root == rootArgs {
			fields[root] = []any{}
		}
		if given, ok := decoded[root]; ok {
			fields[root] = given
		}
	}
	return fields, nil
}

func objectOf(data []byte) (map[string]any, error) {
	decoded, err := DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("read message: it is no JSON object")
	}
	return object, nil
}

func bodyOf(body []byte) (any, error) {
	decoded, err := DecodeJSON(body)
	if errors.Is(err, errSyntax) && !opensContainer(body) {
		return string(body), nil
	}
	return decoded, err
}

func opensContainer(body []byte) bool {
	for _, c := range body {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c == '{' || c == '['
	}
	return false
}

// find walks the path. A value that cannot be walked into has nothing under
// it, so the answer is the same as for a name that is not there.
func (f Fields) find(p Path) (any, bool) {
	if len(p.steps) == 0 {
		return nil, false
	}
	var at any = map[string]any(f)
	for _, s := range p.steps {
		var found bool
		if at, found = s.into(at); !found {
			return nil, false
		}
	}
	return at, true
}

func (s step) into(v any) (any, bool) {
	if s.inList {
		list, ok := v.([]any)
		if !ok || s.index >= len(list) {
			return nil, false
		}
		return list[s.index], true
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	value, ok := object[s.name]
	return value, ok
}
