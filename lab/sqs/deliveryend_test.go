package sqs

import (
	"testing"
	"time"
)

// What deleting does, by what happened between the receive and the delete.
func TestDelete(t *testing.T) {
	again := func(m machine, _ received) { m.take(at(40)) }
	cases := []struct {
		name     string
		between  func(m machine, first received)
		at       int
		standard Kind // each with its number of copies left
		left     int
		fifo     Kind
		fifoLeft int
	}{
		{"in flight", nil, 10, Deleted, 0, Deleted, 0},
		{"visibility over, not received since", nil, 40, Deleted, 0, DeleteRefused, 1},
		{"received again since", again, 41, DeleteStale, 1, DeleteRefused, 1},
		{"received again since, and visible", again, 99, DeleteStale, 1, DeleteRefused, 1},
		{"deleted already", func(m machine, r received) { _ = m.delete(at(5), r.receipt, "") }, 10, DeleteRepeated, 0, DeleteRepeated, 0},
		{"made visible by itself", func(m machine, r received) {
			_ = m.changeVisibility(at(5), r.receipt, 0, "")
		}, 10, Deleted, 0, DeleteRefused, 1},
	}
	for _, c := range cases {
		for _, fifo := range []bool{false, true} {
			m, kind, left := newMachine(t, "q", nil), c.standard, c.left
			if fifo {
				m, kind, left = newMachine(t, "q.fifo", fifoQueue), c.fifo, c.fifoLeft
			}
			m.put(at(0), "a", Message{GroupID: "g"})
			first := m.takeOne(at(0))
			if c.between != nil {
				c.between(m, first)
			}
			err := m.delete(at(c.at), first.receipt, "")
			if m.last() != kind || len(m.copies) != left {
				t.Errorf("%s, fifo %v: %s with %d left, want %s with %d", c.name, fifo, m.last(), len(m.copies), kind, left)
			}
			if refused := codeOf(err) == "InvalidParameterValue"; refused != (kind == DeleteRefused) {
				t.Errorf("%s, fifo %v: %v", c.name, fifo, err)
			}
		}
	}
}

// The newest receipt deletes after the stale one did not: the control for
// delete_stale.
func TestNewestReceiptDeletes(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	old, newest := m.takeOne(at(0)), m.takeOne(at(30))
	if err := m.delete(at(31), old.receipt, ""); err != nil || len(m.copies) != 1 {
		t.Fatal(err, "a stale receipt deleted")
	}
	if err := m.delete(at(31), newest.receipt, ""); err != nil || len(m.copies) != 0 {
		t.Error(err, "the newest receipt did not delete")
	}
}

func TestReceiptsThatAreNone(t *testing.T) {
	m := newMachine(t, "q", nil)
	other := machine{m.a, mustCreate(t, m.a, "other", nil), t}
	other.put(at(0), "a", Message{})
	foreign := other.takeOne(at(0)).receipt
	for _, handle := range []string{"INVALID", "AAAA", foreign, receipt{"q", "a", 1, 1}.String() + "x"} {
		if err := m.delete(at(0), handle, ""); codeOf(err) != "ReceiptHandleIsInvalid" {
			t.Errorf("delete %s: %v", handle, err)
		}
		if err := m.changeVisibility(at(0), handle, 0, ""); codeOf(err) != "ReceiptHandleIsInvalid" {
			t.Errorf("change %s: %v", handle, err)
		}
	}
}

func TestChangeVisibility(t *testing.T) {
	const notInflight = "AWS.SimpleQueueService.MessageNotInflight"
	cases := []struct {
		name    string
		between func(m machine, first received)
		at      int
		timeout time.Duration
		code    string
	}{
		{"longer", nil, 10, time.Minute, ""},
		{"to nothing", nil, 10, 0, ""},
		{"below", nil, 10, -time.Second, "InvalidParameterValue"},
		{"the most", nil, 0, 12 * time.Hour, ""},
		{"above the most", nil, 0, 12*time.Hour + time.Second, "InvalidParameterValue"},
		{"12 h from the receive", nil, 10, 12*time.Hour - 10*time.Second, ""},
		{"more than 12 h from the receive", nil, 10, 12*time.Hour - 9*time.Second, "InvalidParameterValue"},
		{"visibility over", nil, 30, time.Minute, notInflight},
		{"received since", func(m machine, _ received) { m.take(at(30)) }, 31, time.Minute, "InvalidParameterValue"},
		{"deleted", func(m machine, r received) { _ = m.delete(at(1), r.receipt, "") }, 10, time.Minute, "InvalidParameterValue"},
	}
	for _, c := range cases {
		m := newMachine(t, "q", nil)
		m.put(at(0), "a", Message{})
		first := m.takeOne(at(0))
		if c.between != nil {
			c.between(m, first)
		}
		if err := m.changeVisibility(at(c.at), first.receipt, c.timeout, ""); codeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
		if c.code != "" {
			continue
		}
		end := at(c.at).Add(c.timeout)
		if c.timeout > 0 {
			m.wantTaken(end.Add(-time.Second), "")
		}
		m.wantTaken(end, "a ")
	}
}

func TestChangeVisibilityCountsFromNow(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	r := m.takeOne(at(0)).receipt
	for s := 20; s <= 100; s += 20 { // a worker's heartbeat
		if err := m.changeVisibility(at(s), r, 30*time.Second, ""); err != nil {
			t.Fatal(err)
		}
	}
	m.wantTaken(at(129), "")
	m.wantTaken(at(130), "a ")
}

func TestPurge(t *testing.T) {
	m := newMachine(t, "q", nil)
	m.put(at(0), "a", Message{})
	m.put(at(0), "b", Message{})
	r := m.takeOne(at(0)).receipt
	if err := m.purge(at(1), ""); err != nil || len(m.copies) != 0 {
		t.Error(err, len(m.copies))
	}
	if err := m.delete(at(2), r, ""); err != nil {
		t.Error("delete after purge:", err)
	}
	if err := m.purge(at(60), ""); codeOf(err) != "AWS.SimpleQueueService.PurgeQueueInProgress" {
		t.Error(err)
	}
	if err := m.purge(at(61), ""); err != nil {
		t.Error(err)
	}
}
