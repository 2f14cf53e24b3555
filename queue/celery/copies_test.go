package celery

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

func TestWhoIsAway(t *testing.T) {
	c := newCopies()
	away := func(want bool, when string) {
		t.Helper()
		if c.isAway("A") != want {
			t.Errorf("%s: want %t", when, want)
		}
	}
	away(false, "unknown")
	c.comes("A")
	away(true, "it does not ask yet")
	c.asks("A")
	away(false, "it asks")
	m, err := newMessage("billing.charge", queue.Message{Body: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	c.received("A", m, "celery", true)
	c.answered("A")
	away(false, "at work")
	c.said("A", taskEvent{"task-succeeded", m.id()})
	c.acknowledged("A", m.tag())
	away(true, "done")
}

// The timer of a time that a copy waited for once says nothing of the one that it waits for
// now.
func TestATimerOfAnotherTime(t *testing.T) {
	c := newCopies()
	m, err := newMessage("billing.charge", queue.Message{Body: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	m.Headers["eta"] = raw(time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano))
	c.received("A", m, "celery", true)
	eta, _ := m.eta()
	c.begin(c.all[0], eta.Add(-time.Minute))
	if s := c.look(); s.Delayed != 1 || s.InFlight != 0 {
		t.Errorf("begun by it: %+v", s)
	}
	c.begin(c.all[0], eta)
	if s := c.look(); s.Delayed != 0 || s.InFlight != 1 {
		t.Errorf("not begun by its own: %+v", s)
	}
}
