package sidekiq

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

const (
	queuePrefix = "queue:"
	standard    = "default" // Sidekiq's own name for the queue of a job without one
)

// job is what is read of a payload.
type job struct {
	JID   string `json:"jid"`
	Queue string `json:"queue"`
}

func read(payload []byte) (j job, ok bool) {
	err := json.Unmarshal(payload, &j)
	return j, err == nil && j.JID != ""
}

// payload fills in what the client library does: the message need only hold the arguments.
func (q *Queue) payload(m queue.Message) (j job, text []byte, err error) {
	fields := map[string]json.RawMessage{} // raw, so that every digit stays
	if err := json.Unmarshal([]byte(m.Body), &fields); err != nil {
		return j, nil, fmt.Errorf("the message is no JSON object: %w", err)
	}
	j = job{JID: newJID(), Queue: standard}
	now := stamp(q.Now())
	for name, value := range map[string]any{"class": q.class, "queue": standard, "retry": true, "created_at": now, "enqueued_at": now} {
		if _, given := fields[name]; !given {
			fields[name], _ = json.Marshal(value) // plain values
		}
	}
	if err := json.Unmarshal(fields["queue"], &j.Queue); err != nil {
		return j, nil, fmt.Errorf("the message's queue is no string: %w", err)
	}
	fields["jid"] = json.RawMessage(strconv.Quote(j.JID))
	text, err = json.Marshal(fields)
	return j, text, err
}

// stamp is a time as Sidekiq writes it up to version 7: seconds.
func stamp(at time.Time) json.Number {
	return json.Number(strconv.FormatFloat(float64(at.UnixMicro())/1e6, 'f', 6, 64))
}

// newJID is 24 hex digits, like those of the client library.
func newJID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
