package sqsconsumer

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// What no delivery can mend goes the queue's own way, once a visibility timeout.
func TestUnusableMessagesBecomeDeadLetters(t *testing.T) {
	bad := []string{
		`{"amount": 1}`, `{"order": null}`, `{"order": ""}`, `{"order": "  "}`, `{"order": []}`, `{"order": {}}`,
		`{"order": {"a": null}}`, `{"order": "None"}`, `{"order": "nil"}`, `{"order": "null"}`, `{"order": "undefined"}`,
		`{"order": true}`, `{"order": 1.5}`, `{"order": "\u0000"}`, `[]`, `null`, `"text"`, `not JSON`, `{`,
		body("other", `{"a": 1}`), // the fingerprint is no plain value
		body("done", "13"),        // the same key with another amount
	}
	r := newRig(t, 3)
	r.start(r.consumer(holdJob()))
	r.send("done")
	r.untilKinds(lab.Deleted, 1)
	for _, b := range bad {
		r.sendBody(b)
	}
	for round := 1; round <= 3; round++ {
		r.untilKinds(lab.Received, 1+round*len(bad))
		r.untilIdle(1)
		r.want(lab.Received, 1+round*len(bad)) // idle: none comes before its timeout
		r.Advance(30 * time.Second)
	}
	r.untilKinds(lab.DeadLettered, len(bad))
	r.want(lab.Deleted, 1)
	r.want(lab.VisibilityChanged, 0)
	r.wantLogged("message left on the queue", 3*len(bad))
	r.wantLogged("different content", 3)
	if len(r.till.charges) != 1 {
		t.Errorf("charged %v", r.till.charges)
	}
	r.wantCharges("done", 1)
}

// The database cannot be written: nothing is acted, nothing acknowledged, and the
// workers rest, so that the queue's receive counts are not used up in a rush.
func TestReadOnlyBeforeTheClaim(t *testing.T) {
	r := newRig(t, 0)
	c := r.consumer(holdJob())
	c.Guard = r.guard(r.open(r.dsn+"&_pragma=query_only(1)"), holdJob())
	pauses := make(chan time.Duration, 100)
	c.pause = func(_ context.Context, d time.Duration) { pauses <- d }
	if _, err := r.Send(queueName, lab.Message{Body: body("1", "12"), Delay: 30 * time.Second}); err != nil {
		t.Fatal(err)
	}
	stop := r.start(c)
	for i := range 25 {
		r.untilIdle(1)
		r.Advance(30 * time.Second)
		r.untilKinds(lab.Received, i+1)
		if got, want := take(r, pauses), min(time.Duration(i+1)*time.Second, 20*time.Second); got != want {
			t.Errorf("pause %d is %s, want %s", i, got, want)
		}
	}
	r.untilIdle(1)
	stop()
	r.wantCharges("1", 0)
	r.wantRecord("1", "none")
	r.want(lab.Deleted, 0)
	r.want(lab.VisibilityChanged, 0)
	r.until("the end of the polls", func(s lab.Snapshot) bool { return s.Polling == 0 })
	r.start(r.consumer(holdJob())) // the control: a database that can be written
	r.untilIdle(1)
	r.Advance(30 * time.Second)
	r.untilKinds(lab.Deleted, 1)
	r.wantCharges("1", 1)
}

func TestReadOnlyBeforeTheCompletion(t *testing.T) {
	r := newRig(t, 0)
	db := r.open(r.dsn)
	db.SetMaxOpenConns(1) // one connection, so that the pragma holds for all
	c := r.consumer(holdJob())
	c.Guard = r.guard(db, holdJob())
	c.pause = func(context.Context, time.Duration) {}
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		_, err := db.ExecContext(ctx, "PRAGMA query_only = 1")
		return errors.Join(err, r.till.charge(ctx, op))
	}
	r.send("1")
	r.start(c)
	for i := range 20 {
		r.untilKinds(lab.Received, i+1)
		r.untilIdle(1)
		if i == 10 {
			r.age(lease)
		}
		r.Advance(beyondLease)
	}
	r.wantCharges("1", 1)
	r.wantRecord("1", "claimed")
	r.want(lab.Deleted, 0)
	if _, err := db.ExecContext(r.ctx, "PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	r.Advance(beyondLease)
	r.untilKinds(lab.Deleted, 1)
	r.wantRecord("1", "held")
	r.wantCharges("1", 1)
}
