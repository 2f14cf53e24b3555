package sqsconsumer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// The record is the only memory. A message that comes back after its record was
// deleted is acted on once more, and counts as new: whoever deletes records keeps
// them for longer than any message can take to return. The control keeps it.
func TestMessageOlderThanItsRecord(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprint("deleted ", deleted), func(t *testing.T) {
			inBubble(t, 0, func(t *testing.T, r *rig) {
				id := r.send("1")
				r.start(r.consumer(lookupJob()))
				r.untilKinds(lab.Deleted, 1)
				if deleted {
					r.exec("DELETE FROM idempotency_records")
				}
				r.Advance(3 * 24 * time.Hour)
				if err := r.Redeliver(queueName, id); err != nil {
					t.Fatal(err)
				}
				r.untilKinds(lab.Deleted, 2)
				r.wantCharges("1", map[bool]int{false: 1, true: 2}[deleted])
				r.wantRecord("1", "completed")
			})
		})
	}
}

// The same key again: with other content it is neither acted on nor taken for a
// repeat; with other fields, which nobody named, it is a repeat.
func TestOtherContentUnderTheSameKey(t *testing.T) {
	onEach(t, 0, func(t *testing.T, r *rig) {
		r.start(r.consumer(holdJob()))
		r.sendBody(`{"order": "1", "amount": 10.00, "sent_at": 1}`)
		r.untilKinds(lab.Deleted, 1)
		other := r.sendBody(`{"order": "1", "amount": 12.00, "sent_at": 1}`)
		r.untilKinds(lab.Received, 2)
		r.untilIdle(1)
		r.wantKinds(other, "sent received")
		r.wantLogged("same key, different content", 1)
		for _, name := range []string{"fingerprint=", "recorded=", "fields="} {
			r.wantLogged(name, 1)
		}
		r.sendBody(`{"order": "1", "amount": 10.00, "sent_at": 2}`)
		r.sendBody(`{"order": "1", "amount": 10.00, "sent_at": 1, "currency": "EUR"}`)
		r.untilKinds(lab.Deleted, 3)
		r.wantCharges("1", 1)
	})
}

// Times that would make every message fail before its claim are refused at the
// start, and say what is wrong.
func TestTimesRefusedAtTheStart(t *testing.T) {
	r := newRig(t, 0)
	for _, short := range []time.Duration{0, -time.Second, time.Millisecond, time.Second - time.Millisecond} {
		_, err := twiceproof.New(r.db, r.kind, leaseOf(short), twiceproof.Options{})
		if err == nil || !strings.Contains(err.Error(), "the lease is at least 1s") {
			t.Errorf("a lease of %s: %v", short, err)
		}
	}
	if _, err := twiceproof.New(r.db, r.kind, leaseOf(time.Second), twiceproof.Options{}); err != nil {
		t.Errorf("the control: %v", err)
	}
	for visibility, want := range map[time.Duration]string{
		time.Millisecond: "is not in whole seconds", -time.Second: "must not be negative", maxVisibility + time.Second: "longer than the 12 hours",
	} {
		c := r.consumer(leaseOf(time.Second))
		c.Visibility = visibility
		if err := c.Run(r.ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a visibility of %s: %v", visibility, err)
		}
	}
}
