package sqs

import (
	"errors"
	"testing"
	"time"
)

var t0 = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return t0.Add(time.Duration(seconds) * time.Second) }

// machine is the pure code alone, with one queue: no endpoint, no real time.
type machine struct {
	a *account
	*queue
	t *testing.T
}

func newMachine(t *testing.T, name string, attributes map[string]string) machine {
	t.Helper()
	a := newAccount()
	return machine{a, mustCreate(t, a, name, attributes), t}
}

func mustCreate(t *testing.T, a *account, name string, attributes map[string]string) *queue {
	t.Helper()
	if err := a.create(t0, name, attributes); err != nil {
		t.Fatal(err)
	}
	return a.queues[name]
}

func (m machine) put(now time.Time, id string, msg Message) string {
	m.t.Helper()
	if msg.Body == "" {
		msg.Body = "body of " + id
	}
	sent, err := m.queue.send(now, sending{Message: msg, id: id})
	if err != nil {
		m.t.Fatal(err)
	}
	return sent.id
}

// take receives up to ten with the queue's own timeout.
func (m machine) take(now time.Time) []received {
	return m.a.receive(now, m.queue, receiving{max: 10})
}

func (m machine) takeFor(now time.Time, timeout time.Duration) []received {
	return m.a.receive(now, m.queue, receiving{max: 10, visibility: &timeout})
}

func (m machine) takeOne(now time.Time) received {
	m.t.Helper()
	got := m.a.receive(now, m.queue, receiving{max: 1})
	if len(got) != 1 {
		m.t.Fatalf("received %d messages, want 1", len(got))
	}
	return got[0]
}

func ids(got []received) string {
	s := ""
	for _, m := range got {
		s += m.id + " "
	}
	return s
}

func (m machine) wantTaken(now time.Time, want string) {
	m.t.Helper()
	if got := ids(m.take(now)); got != want {
		m.t.Errorf("received %q, want %q", got, want)
	}
}

func (m machine) last() Kind { return m.events[len(m.events)-1].Kind }

func codeOf(err error) string {
	var f *fault
	if errors.As(err, &f) && f != nil {
		return f.code
	}
	return ""
}
