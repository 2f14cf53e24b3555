package sqs

import (
	"testing"
	"time"
)

var fifoQueue = map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"}

// groups is a queue with g1: a b c and g2: x y, interleaved.
func groups(t *testing.T) machine {
	m := newMachine(t, "q.fifo", fifoQueue)
	for _, s := range [][2]string{{"a", "g1"}, {"x", "g2"}, {"b", "g1"}, {"y", "g2"}, {"c", "g1"}} {
		m.put(at(0), s[0], Message{GroupID: s[1]})
	}
	return m
}

func TestGroupIsBlockedWhileInFlight(t *testing.T) {
	m := groups(t)
	if got := m.takeOne(at(0)); got.id != "a" {
		t.Fatal(got.id)
	}
	if got := m.takeOne(at(0)); got.id != "x" { // not b: its group is blocked
		t.Fatal(got.id)
	}
	m.wantTaken(at(0), "")
	m.wantTaken(at(30), "a b c x y ") // and in order when it is over
}

func TestGroupIsFreeAfterDelete(t *testing.T) {
	m := groups(t)
	got := m.a.receive(at(0), m.queue, receiving{max: 2})
	if ids(got) != "a b " { // one receive may take several of a group, in order
		t.Fatal(ids(got))
	}
	_ = m.delete(at(1), got[0].receipt, "")
	m.wantTaken(at(1), "x y ") // b is still in flight: not c
	_ = m.delete(at(2), got[1].receipt, "")
	m.wantTaken(at(2), "c ")
}

func TestVisibleAgainBeforeOneInFlight(t *testing.T) {
	m := groups(t)
	got := m.a.receive(at(0), m.queue, receiving{max: 2})
	if err := m.changeVisibility(at(1), got[0].receipt, 0, ""); err != nil {
		t.Fatal(err)
	}
	m.wantTaken(at(1), "a x y ") // a again, but c does not overtake b
}

func TestDelayedMessageBlocksItsGroup(t *testing.T) {
	m := newMachine(t, "q.fifo", map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true", "DelaySeconds": "10"})
	m.put(at(0), "a", Message{GroupID: "g"})
	m.put(at(5), "b", Message{GroupID: "g"})
	m.wantTaken(at(9), "")
	m.wantTaken(at(12), "a ")
	m.wantTaken(at(15), "")
}

func TestRedeliveredCopyWaitsForItsGroup(t *testing.T) {
	m := groups(t)
	first := m.takeOne(at(0))
	m.redeliver(at(0), "a")
	m.wantTaken(at(0), "x y ")
	_ = m.delete(at(1), first.receipt, "")
	if got := m.takeOne(at(1)); got.id != "a" { // the copy, in its old place
		t.Error(got.id)
	}
}

func TestDeduplication(t *testing.T) {
	byGroup := map[string]string{"FifoQueue": "true", "DeduplicationScope": "messageGroup"}
	m1 := Message{Body: "one", GroupID: "g", DeduplicationID: "d"}
	cases := []struct {
		name       string
		attributes map[string]string
		second     Message
		after      int
		want       string
	}{
		{"same id", fifoQueue, m1, 10, "first"},
		{"same id, other body and group", fifoQueue, Message{Body: "two", GroupID: "h", DeduplicationID: "d"}, 10, "first"},
		{"other id, same body", fifoQueue, Message{Body: "one", GroupID: "g", DeduplicationID: "e"}, 10, "second"},
		{"just before 5 minutes", fifoQueue, m1, 299, "first"},
		{"after 5 minutes", fifoQueue, m1, 300, "second"},
		{"scope: other group", byGroup, Message{Body: "one", GroupID: "h", DeduplicationID: "d"}, 10, "second"},
		{"scope: same group", byGroup, m1, 10, "first"},
	}
	for _, c := range cases {
		for _, deleted := range []bool{false, true} {
			m := newMachine(t, "q.fifo", c.attributes)
			m.put(at(0), "first", m1)
			if deleted { // it is remembered all the same
				_ = m.delete(at(1), m.takeOne(at(1)).receipt, "")
			}
			if got := m.put(at(c.after), "second", c.second); got != c.want {
				t.Errorf("%s, deleted %v: %s, want %s", c.name, deleted, got, c.want)
			}
			if added := m.find("second", 1) != nil; added != (c.want == "second") {
				t.Errorf("%s, deleted %v: added %v", c.name, deleted, added)
			}
		}
	}
}

func TestContentBasedDeduplication(t *testing.T) {
	m := newMachine(t, "q.fifo", fifoQueue)
	m.put(at(0), "first", Message{Body: "same", GroupID: "g"})
	attributes := map[string]Attribute{"n": {DataType: "String", StringValue: "2"}}
	if got := m.put(at(1), "second", Message{Body: "same", GroupID: "g", Attributes: attributes}); got != "first" {
		t.Error("attributes count:", got)
	}
	if got := m.put(at(1), "third", Message{Body: "other", GroupID: "g"}); got != "third" {
		t.Error(got)
	}
}

func TestSequenceNumbersGrow(t *testing.T) {
	m := groups(t)
	last := ""
	for _, id := range []string{"a", "x", "b"} {
		n := m.messages[id].sequenceNumber()
		if len(n) != 20 || n <= last {
			t.Errorf("%s after %s", n, last)
		}
		last = n
	}
}

func TestFifoRefuses(t *testing.T) {
	strict := map[string]string{"FifoQueue": "true"}
	delay := 2 * time.Second
	cases := []struct {
		name string
		s    sending
		code string
	}{
		{"no group", sending{Message: Message{Body: "b", DeduplicationID: "d"}}, "MissingParameter"},
		{"no deduplication id", sending{Message: Message{Body: "b", GroupID: "g"}}, "InvalidParameterValue"},
		{"a delay", sending{Message: Message{Body: "b", GroupID: "g", DeduplicationID: "d"}, delay: &delay}, "InvalidParameterValue"},
		{"nothing", sending{Message: Message{Body: "b", GroupID: "g", DeduplicationID: "d"}}, ""},
	}
	for _, c := range cases {
		if _, err := newMachine(t, "q.fifo", strict).send(at(0), c.s); codeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	plain := sending{Message: Message{Body: "b", DeduplicationID: "d"}}
	if _, err := newMachine(t, "q", nil).send(at(0), plain); codeOf(err) != "InvalidParameterValue" {
		t.Error("deduplication id on a standard queue:", err)
	}
}
