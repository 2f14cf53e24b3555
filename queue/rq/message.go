package rq

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/google/uuid"
	pickle "github.com/kisielk/og-rek"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/queue"
)

// The keys of RQ. RQ_KEY_PREFIX, which would change them, is not followed.
const (
	queuePrefix     = "rq:queue:"
	between         = ":intermediate" // after a queue's name: what was taken and is not begun
	jobPrefix       = "rq:job:"
	startedPrefix   = "rq:wip:"
	scheduledPrefix = "rq:scheduled:"
	failedPrefix    = "rq:failed:"
	workers         = "rq:workers"
)

const standard = "default" // RQ's own name for the queue of a job without one

// What a job's hash says of its state.
const (
	queued    = "queued"
	started   = "started"
	scheduled = "scheduled"
	failed    = "failed"
)

// message is a job as its hash keeps it.
type message struct {
	id, queue string
	fields    map[string]any
}

// newMessage makes what RQ's own client does of a call: {"args": […], "kwargs": {…}}, each of
// which may be left out. Beside them stand the queue, and fields of the hash by RQ's own
// names, such as retries_left.
func newMessage(function string, m queue.Message, now time.Time) (message, error) {
	decoded, err := job.DecodeJSON([]byte(m.Body)) // keeps every digit
	call, ok := decoded.(map[string]any)
	if err != nil || !ok {
		return message{}, cmp.Or(err, errors.New("the message is no JSON object"))
	}
	place, ok := call["queue"].(string)
	if call["queue"] != nil && !ok {
		return message{}, errors.New("the message's queue is no string")
	}
	data, err := dataOf(function, call)
	if err != nil {
		return message{}, err
	}
	at := now.UTC().Format("2006-01-02T15:04:05.000000Z")
	fields := map[string]any{"created_at": at, "enqueued_at": at, "description": function, "timeout": "180"}
	for name, value := range call {
		if !slices.Contains([]string{"args", "kwargs", "queue"}, name) {
			fields[name] = fieldOf(value)
		}
	}
	place = cmp.Or(place, standard)
	fields["origin"], fields["status"], fields["data"] = place, queued, data
	return message{uuid.NewString(), place, fields}, nil
}

// dataOf is the call as RQ's default serializer writes it.
func dataOf(function string, call map[string]any) ([]byte, error) {
	args, list := call["args"].([]any)
	kwargs, object := call["kwargs"].(map[string]any)
	if call["args"] != nil && !list || call["kwargs"] != nil && !object {
		return nil, errors.New("the message's args are no list, or its kwargs no object")
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	e := pickle.NewEncoderWithConfig(w, &pickle.EncoderConfig{Protocol: 2, StrictUnicode: true})
	if err := e.Encode(pickle.Tuple{function, pickle.None{}, pickle.Tuple(plain(args).([]any)), plain(kwargs)}); err != nil {
		return nil, fmt.Errorf("pickle the message: %w", err)
	}
	err := w.Close()
	return packed.Bytes(), err
}

// plain has Python's numbers and None in the place of JSON's.
func plain(value any) any {
	switch v := value.(type) {
	case nil:
		return pickle.None{}
	case json.Number:
		return number(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name := range v {
			object[name] = plain(v[name])
		}
		return object
	}
	return value
}

func number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if big, ok := new(big.Int).SetString(n.String(), 10); ok {
		return big
	}
	f, _ := n.Float64() // it was read as a number
	return f
}

// fieldOf is a value as a hash of RQ has it: what is no text is JSON there.
func fieldOf(value any) any {
	if _, is := value.(string); is {
		return value
	}
	text, _ := json.Marshal(value) // it was read as JSON
	return text
}
