package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

func TestDeletedAfterCompletionIsStored(t *testing.T) {
	r := newRig(t, 3)
	var inAct, atDelete string
	c := r.consumer(holdJob())
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		inAct = r.record("1") // the control: it was not completed all the time
		return r.till.charge(ctx, op)
	}
	r.wire.on("DeleteMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
		atDelete = r.record("1")
		return next.RoundTrip(q)
	})
	id := r.send("1")
	stop := r.start(c)
	r.untilKinds(lab.Deleted, 1)
	stop()
	if inAct != "claimed" || atDelete != "completed" {
		t.Errorf("record %s in the act and %s at the delete", inAct, atDelete)
	}
	if got, gone := r.events(lab.Received)[0], r.events(lab.Deleted)[0]; got.Receipt != gone.Receipt {
		t.Error("deleted with another receipt than the receive's")
	}
	r.wantKinds(id, "sent received deleted")
	r.wantCharges("1", 1)
	r.wantLogged("level=WARN", 0)
}

// The worker died after its claim. The message waits out the lease in one put
// back, while healthy jobs behind it go on; then the policy.
func TestLiveIsPutBackUntilTheLeaseIsOver(t *testing.T) {
	for _, want := range []struct {
		job    job.Job
		acts   int
		record string
	}{{holdJob(), 0, "held"}, {lookupJob(), 1, "completed"}} {
		jb := want.job
		t.Run(string(jb.Stale.Policy), func(t *testing.T) {
			r := newRig(t, 3)
			begun := time.Now()
			r.vanish("1", jb)
			id := r.send("1")
			r.start(r.consumer(jb))
			r.untilKinds(lab.VisibilityChanged, 1)
			for i := range 20 {
				r.send(fmt.Sprint("healthy", i))
			}
			r.untilKinds(lab.Deleted, 20)
			r.untilIdle(1)
			r.wantKinds(id, "sent received visibility_changed")
			r.wantRecord("1", "claimed")
			put := r.events(lab.VisibilityChanged)[0]
			if put.At.Add(put.Visibility).Before(begun.Add(jb.StoredLease())) || put.Visibility > beyondLease {
				t.Errorf("put back for %s", put.Visibility)
			}
			r.age(jb.StoredLease())
			r.Advance(beyondLease)
			r.untilKinds(lab.Deleted, 21)
			r.wantKinds(id, "sent received visibility_changed visibility_over received deleted")
			r.wantRecord("1", want.record)
			r.wantCharges("1", want.acts)
			r.wantCharges("healthy7", 1)
		})
	}
}

// Five messages of one operation whose worker died: none is dropped.
func TestCopiesOfALiveClaimAreAllPutBack(t *testing.T) {
	r := newRig(t, 0)
	jb := lookupJob()
	r.vanish("1", jb)
	for range 5 {
		r.send("1")
	}
	r.start(r.consumer(jb))
	r.untilKinds(lab.VisibilityChanged, 5)
	r.untilIdle(1)
	r.want(lab.Received, 5)
	r.want(lab.Deleted, 0)
	r.age(jb.StoredLease())
	r.Advance(beyondLease)
	r.untilKinds(lab.Deleted, 5)
	r.wantCharges("1", 1)
}

// Amazon answers success to a delete by an older receipt and keeps the message.
func TestDeleteByAnOlderReceipt(t *testing.T) {
	for deadAfter, wantDead := range map[int]int{leastReceives: 0, leastReceives - 1: 1} { // the second is the control
		t.Run(fmt.Sprint("max receives ", deadAfter), func(t *testing.T) {
			inBubble(t, deadAfter, func(t *testing.T, r *rig) {
				c := r.consumer(holdJob())
				act, entered, open := r.till.gated()
				defer open()
				c.Act, c.Workers = act, 2
				id := r.send("1")
				r.start(c)
				take(r, entered)
				r.Advance(30 * time.Second) // as if the heartbeat had not come through
				r.until("put back by the second", func(s lab.Snapshot) bool {
					return count(s.Events, lab.VisibilityChanged, id) == 1 && s.Polling == 1
				})
				open()
				r.untilKinds(lab.DeleteStale, 1)
				r.want(lab.Deleted, 0)
				r.wantRecord("1", "completed")
				r.Advance(beyondLease)
				r.until("an empty queue", func(s lab.Snapshot) bool { return s.Visible+s.InFlight == 0 })
				if n := r.Counts(queueName).Dead; n != wantDead {
					t.Errorf("%d dead letters, want %d\n%s", n, wantDead, r.history())
				}
				r.want(lab.Deleted, 1-wantDead)
				r.wantCharges("1", 1)
				r.wantLogged("maxReceiveCount is so low", wantDead)
			})
		})
	}
}

func TestDeleteThatFails(t *testing.T) {
	failures := func(n int) hook {
		var mu sync.Mutex
		return func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if n--; n >= 0 {
				return refuse(500, "InternalFailure")(q, next)
			}
			return next.RoundTrip(q)
		}
	}
	t.Run("three times", func(t *testing.T) {
		r := newRig(t, 3)
		r.wire.on("DeleteMessage", failures(3))
		id := r.send("1")
		r.start(r.consumer(holdJob()))
		r.untilKinds(lab.Received, 1)
		r.untilIdle(1)
		r.wantLogged("delete failed", 1)
		r.wantKinds(id, "sent received")
		r.Advance(30 * time.Second)
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_over received deleted")
		r.wantCharges("1", 1)
	})
	t.Run("twice", func(t *testing.T) { // the control: the client's own retries mend it
		r := newRig(t, 3)
		r.wire.on("DeleteMessage", failures(2))
		id := r.send("1")
		r.start(r.consumer(holdJob()))
		r.untilKinds(lab.Deleted, 1)
		r.untilIdle(1)
		r.wantKinds(id, "sent received deleted")
		r.wantLogged("delete failed", 0)
	})
	t.Run("answer lost", func(t *testing.T) { // the client sends it again
		r := newRig(t, 3)
		lost := false
		r.wire.on("DeleteMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			out, err := next.RoundTrip(q)
			if err != nil || lost {
				return out, err
			}
			lost = true
			_ = out.Body.Close()
			return nil, io.ErrUnexpectedEOF
		})
		id := r.send("1")
		r.start(r.consumer(holdJob()))
		r.untilKinds(lab.DeleteRepeated, 1)
		r.wantKinds(id, "sent received deleted delete_repeated")
		r.wantCharges("1", 1)
	})
}

// A receive whose answer was lost is sent again by the client; the message comes
// by its visibility timeout.
func TestReceiveWhoseAnswerIsLost(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, r *rig) {
		lost := false
		r.wire.on("ReceiveMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			out, err := next.RoundTrip(q)
			if err != nil || lost {
				return out, err
			}
			lost = true
			_ = out.Body.Close()
			return nil, io.ErrUnexpectedEOF
		})
		id := r.send("1")
		r.start(r.consumer(holdJob()))
		r.untilIdle(1)
		r.wantCharges("1", 0)
		r.Advance(30 * time.Second)
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_over received deleted")
		r.wantCharges("1", 1)
	})
}

func TestGivenUp(t *testing.T) {
	timeOut := func(r *rig) twiceproof.Act {
		return func(ctx context.Context, op *twiceproof.Operation) error {
			_ = r.till.charge(ctx, op)
			return errors.New("time-out after the charge")
		}
	}
	t.Run("hold", func(t *testing.T) { // back at once, held by the redelivery
		r := newRig(t, 3)
		c := r.consumer(holdJob())
		c.Act = timeOut(r)
		id := r.send("1")
		r.start(c)
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_changed visibility_over received deleted")
		r.wantRecord("1", "held given_up")
		r.wantCharges("1", 1)
	})
	t.Run("lookup", func(t *testing.T) { // back after the settle time, found by the redelivery
		r := newRig(t, 3)
		c := r.consumer(lookupJob())
		c.Act = timeOut(r)
		id := r.send("1")
		r.start(c)
		r.untilKinds(lab.VisibilityChanged, 1)
		r.untilIdle(1)
		if put := r.events(lab.VisibilityChanged)[0].Visibility; put < settle || put > settle+settle/10+2*time.Second {
			t.Errorf("put back for %s", put)
		}
		r.age(settle)
		r.Advance(2 * settle)
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_changed visibility_over received deleted")
		r.wantRecord("1", "completed")
		r.wantCharges("1", 1)
	})
}

func TestReleasedIsActedAgain(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		refused := false
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if !refused {
				refused = true
				return twiceproof.NotApplied(errors.New("connection refused"))
			}
			return r.till.charge(ctx, op)
		}
		id := r.send("1")
		r.start(c)
		r.untilKinds(lab.Received, 1)
		r.untilIdle(1)
		r.wantKinds(id, "sent received") // no hot loop: it waits for its visibility timeout
		r.Advance(30 * time.Second)
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_over received deleted")
		r.wantCharges("1", 1)
	})
}

// Another worker has taken the claim over: the message is its.
func TestLostIsLeftToTheOther(t *testing.T) {
	r := newRig(t, 3)
	c := r.consumer(holdJob())
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		r.exec("UPDATE idempotency_records SET claim_token = ?", strings.Repeat("b", 32))
		return r.till.charge(ctx, op)
	}
	id := r.send("1")
	r.start(c)
	r.untilKinds(lab.Received, 1)
	r.untilIdle(1)
	r.wantKinds(id, "sent received")
	r.wantLogged("outcome=lost", 1)
	r.exec(r.statements().Complete, holdJob().Type, "1", strings.Repeat("b", 32), "acted", nil)
	r.Advance(30 * time.Second)
	r.untilKinds(lab.Deleted, 1)
	r.wantCharges("1", 1)
}

// Amazon SQS refuses more than 12 hours since the receive.
func TestPutBackIsClampedToTwelveHours(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		jb := leaseOf(48 * time.Hour)
		r.vanish("1", jb)
		r.send("1")
		r.start(r.consumer(jb))
		for i := range 3 {
			r.untilKinds(lab.VisibilityChanged, i+1)
			r.untilIdle(1)
			if put := r.events(lab.VisibilityChanged)[i].Visibility; put > maxVisibility || put < maxVisibility-time.Minute {
				t.Errorf("put back for %s", put)
			}
			r.Advance(maxVisibility)
		}
		r.want(lab.VisibilityRefused, 0)
	})
}

// A put back never ends before the claim that it waits for.
func TestVisibilityIsRoundedUp(t *testing.T) {
	r := newRig(t, 0)
	c := r.consumer(holdJob())
	c.Visibility = lease
	r.send("1")
	messages, err := c.receive(r.ctx, 1)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	for i, d := range []time.Duration{30 * time.Second, 1200 * time.Millisecond} {
		if err := c.changeVisibility(r.ctx, received{Message: messages[0]}, d); err != nil {
			t.Fatal(err)
		}
		if got, want := r.events(lab.VisibilityChanged)[i].Visibility, []time.Duration{30 * time.Second, 2 * time.Second}[i]; got != want {
			t.Errorf("%s became %s", d, got)
		}
	}
}

// Without the permission a live claim costs a receive each visibility timeout.
func TestPutBackThatFails(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		jb := holdJob()
		r.vanish("1", jb)
		r.wire.on("ChangeMessageVisibility", refuse(400, "AccessDenied"))
		id := r.send("1")
		r.start(r.consumer(jb))
		for i := range 2 {
			r.untilKinds(lab.Received, i+1)
			r.untilIdle(1)
			r.wantLogged("put back failed", i+1)
			r.age(30 * time.Second)
			r.Advance(30 * time.Second)
		}
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent received visibility_over received visibility_over received deleted")
		r.wantRecord("1", "held")
	})
}

func TestFIFO(t *testing.T) {
	r := newRig(t, 0)
	url := r.createQueue("q.fifo", map[string]string{"FifoQueue": "true"})
	for i, key := range []string{"1", "2"} {
		if _, err := r.Send("q.fifo", lab.Message{Body: body(key, "1"), GroupID: "g", DeduplicationID: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	c := r.consumer(holdJob())
	c.QueueURL = url
	r.start(c)
	if err := r.Wait(r.ctx, "q.fifo", func(s lab.Snapshot) bool { return count(s.Events, lab.Deleted, "") == 2 }); err != nil {
		t.Fatal(err)
	}
	var kinds []lab.Kind
	for _, e := range r.Log("q.fifo") {
		kinds = append(kinds, e.Kind)
	}
	if want := []lab.Kind{"sent", "sent", "received", "deleted", "received", "deleted"}; !slices.Equal(kinds, want) {
		t.Error(kinds)
	}
}
