package sqs

import "testing"

func deadLetters(t *testing.T, limit string) (m, dead machine) {
	a := newAccount()
	d := mustCreate(t, a, "dead", nil)
	q := mustCreate(t, a, "q", map[string]string{
		"RedrivePolicy": `{"deadLetterTargetArn":"` + arnPrefix + `dead","maxReceiveCount":` + limit + `}`,
	})
	return machine{a, q, t}, machine{a, d, t}
}

func TestMovedAtTheReceiveThatWouldExceed(t *testing.T) {
	for _, limit := range []string{"2", `"2"`} {
		m, dead := deadLetters(t, limit)
		m.put(at(0), "a", Message{})
		m.wantTaken(at(0), "a ")
		m.wantTaken(at(30), "a ")
		m.sweep(at(60)) // its visibility is over; nobody received: it stays
		if len(dead.copies) != 0 {
			t.Fatal("moved before the receive")
		}
		m.wantTaken(at(60), "")
		if n := m.a.counts(m.queue); n != (Counts{Dead: 1}) || m.last() != DeadLettered || dead.last() != ArrivedDead {
			t.Fatalf("%+v", n)
		}
		if got := dead.takeOne(at(60)); got.id != "a" || got.receives != 3 || got.source != "q" {
			t.Errorf("%+v", got)
		}
	}
}

func TestReceiveGoesOnPastDeadLetters(t *testing.T) {
	m, dead := deadLetters(t, "1")
	m.put(at(0), "a", Message{})
	m.wantTaken(at(0), "a ")
	m.put(at(1), "b", Message{})
	m.wantTaken(at(30), "b ") // a is moved on the way
	dead.wantTaken(at(30), "a ")
}

func TestDeletedInTimeIsNotMoved(t *testing.T) {
	m, dead := deadLetters(t, "1")
	m.put(at(0), "a", Message{})
	_ = m.delete(at(31), m.takeOne(at(0)).receipt, "")
	m.wantTaken(at(60), "")
	if len(dead.copies) != 0 {
		t.Error("moved after it was deleted")
	}
}

func TestRedrivePolicyRefused(t *testing.T) {
	m, _ := deadLetters(t, "1")
	for _, policy := range []string{
		`{"deadLetterTargetArn":"dummy","maxReceiveCount":42}`,
		`{"deadLetterTargetArn":"` + arnPrefix + `none","maxReceiveCount":1}`,
		`{"deadLetterTargetArn":"` + arnPrefix + `dead","maxReceiveCount":0}`,
		`not json`,
	} {
		if err := m.a.configure(at(0), m.queue, map[string]string{"RedrivePolicy": policy}); codeOf(err) != "InvalidParameterValue" {
			t.Errorf("%s: %v", policy, err)
		}
	}
	if err := m.a.configure(at(0), m.queue, map[string]string{"RedrivePolicy": ""}); err != nil || m.a.deadLetterQueue(m.queue) != nil {
		t.Error("an empty policy does not take it away:", err)
	}
}
