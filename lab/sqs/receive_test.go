package sqs

import (
	"testing"
	"time"
)

func TestInFlightIsNotReceivedAndComesBack(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	m.wantTaken(at(0), "a ")
	m.wantTaken(at(29), "") // 30 s is the default
	got := m.takeOne(at(30))
	if got.receives != 2 || !got.firstReceived.Equal(at(0)) {
		t.Errorf("receive count %d, first received %v", got.receives, got.firstReceived)
	}
}

func TestVisibilityTimeoutOfTheReceive(t *testing.T) {
	m := newMachine(t, "q", map[string]string{"VisibilityTimeout": "5"})
	m.put(at(0), "a", Message{})
	if got := ids(m.takeFor(at(0), 100*time.Second)); got != "a " {
		t.Fatal(got)
	}
	m.wantTaken(at(99), "")
	m.wantTaken(at(100), "a ")
	m.wantTaken(at(104), "")
	m.wantTaken(at(105), "a ") // the queue's own again
}

func TestReceiveWithTimeoutZeroLeavesItVisible(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	first := m.takeFor(at(0), 0)
	second := m.takeFor(at(0), 0)
	if ids(first) != "a " || ids(second) != "a " || first[0].receipt == second[0].receipt {
		t.Errorf("%v %v", first, second)
	}
}

func TestReceiveTakesNoMoreThanMax(t *testing.T) {
	m := newMachine(t, "q", nil)
	for _, id := range []string{"a", "b", "c"} {
		m.put(at(0), id, Message{})
	}
	if got := ids(m.a.receive(at(0), m.queue, receiving{max: 2})); got != "a b " {
		t.Error(got)
	}
	m.wantTaken(at(0), "c ")
}

func TestDelays(t *testing.T) {
	m := newMachine(t, "q", map[string]string{"DelaySeconds": "10"})
	m.put(at(0), "a", Message{})
	none, long := time.Duration(0), time.Minute
	for id, delay := range map[string]*time.Duration{"now": &none, "later": &long} {
		if _, err := m.send(at(0), sending{Message: Message{Body: id}, id: id, delay: delay}); err != nil {
			t.Fatal(err)
		}
	}
	if n := m.queue.counts(); n != (Counts{Visible: 1, Delayed: 2}) {
		t.Errorf("%+v", n)
	}
	m.wantTaken(at(9), "now ")
	m.wantTaken(at(10), "a ")
	m.sweep(at(60))
	if last := m.events[len(m.events)-1]; last.Kind != DelayOver || last.MessageID != "later" || !last.At.Equal(at(60)) {
		t.Errorf("%+v", last)
	}
}

func TestRetentionEndsVisibleAndInFlight(t *testing.T) {
	m := newMachine(t, "q", map[string]string{"MessageRetentionPeriod": "60"})
	m.put(at(0), "a", Message{})
	m.put(at(30), "b", Message{})
	m.takeFor(at(31), time.Hour)
	m.sweep(at(60))
	if m.last() != RetentionOver || m.find("a", 1) != nil || m.find("b", 1) == nil {
		t.Errorf("%+v", m.events)
	}
	m.sweep(at(90))
	if len(m.copies) != 0 {
		t.Error("b is still there")
	}
}

// A long jump passes several ends at once: each is logged at its own time, in
// order.
func TestSweepLogsEndsInOrder(t *testing.T) {
	m := newMachine(t, "q", map[string]string{"MessageRetentionPeriod": "60"})
	m.put(at(0), "a", Message{})
	m.put(at(0), "b", Message{})
	timeout := 20 * time.Second
	m.a.receive(at(1), m.queue, receiving{max: 1, visibility: &timeout})
	timeout = 10 * time.Second
	m.a.receive(at(1), m.queue, receiving{max: 1, visibility: &timeout})
	m.sweep(at(40))
	n := len(m.events)
	first, second := m.events[n-2], m.events[n-1]
	if first.MessageID != "b" || !first.At.Equal(at(11)) || second.MessageID != "a" || !second.At.Equal(at(21)) {
		t.Errorf("%+v %+v", first, second)
	}
	for i, e := range m.events {
		if e.Seq != i+1 {
			t.Errorf("event %d has Seq %d", i, e.Seq)
		}
	}
}

func TestOneReceiveNeverGetsTwoCopies(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	if !m.redeliver(at(0), "a") {
		t.Fatal("not redelivered")
	}
	m.wantTaken(at(0), "a ")
	m.wantTaken(at(0), "a ")
	m.wantTaken(at(0), "")
}

func TestRedeliverAfterDelete(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	first := m.takeOne(at(0))
	if err := m.delete(at(1), first.receipt, ""); err != nil {
		t.Fatal(err)
	}
	m.redeliver(at(2), "a")
	second := m.takeOne(at(2))
	if second.id != "a" || second.Body != first.Body {
		t.Errorf("%+v", second)
	}
	// The first copy's receipt must not delete the second copy.
	if err := m.delete(at(3), first.receipt, ""); err != nil || m.last() != DeleteRepeated || len(m.copies) != 1 {
		t.Errorf("%v %v %d", err, m.last(), len(m.copies))
	}
	if err := m.delete(at(3), second.receipt, ""); err != nil || len(m.copies) != 0 {
		t.Errorf("%v %d", err, len(m.copies))
	}
	if m.redeliver(at(4), "never sent") {
		t.Error("redelivered a message that was never sent")
	}
}
