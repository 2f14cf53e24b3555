package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// renewals of one message.
func renewed(id string, n int) func(lab.Snapshot) bool {
	return func(s lab.Snapshot) bool { return count(s.Events, lab.VisibilityChanged, id) >= n }
}

// The act takes longer than the visibility timeout, and another worker waits.
func TestVisibilityIsKeptAhead(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, 3*time.Second
		id := r.send("1")
		r.start(c)
		take(r, entered)
		r.until("renewals", renewed(id, 4))
		open()
		r.untilKinds(lab.Deleted, 1)
		r.want(lab.Received, 1)
		r.wantCharges("1", 1)
		end := r.events(lab.Received)[0].At
		for _, e := range r.events(lab.VisibilityChanged) {
			if !e.At.Add(e.Visibility).After(end) {
				t.Errorf("shortened to %s", e.Visibility)
			}
			end = e.At.Add(e.Visibility)
		}
	})
}

// The control of the above: without renewals the other worker does get it.
func TestVisibilityThatIsNotRenewed(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, time.Second
		r.wire.on("ChangeMessageVisibility", refuse(500, "InternalFailure"))
		r.send("1")
		r.start(c)
		take(r, entered)
		r.untilKinds(lab.Received, 3) // live, and the put back fails too
		open()
		r.untilKinds(lab.Deleted, 1)
		r.wantCharges("1", 1)
		r.wantRecord("1", "completed")
		if !strings.Contains(r.log.String(), "visibility not renewed") {
			t.Error("a renewal that failed was not logged")
		}
	})
}

// A worker that hangs keeps its message until its lease is over and no longer.
func TestVisibilityEndsWithTheLease(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, 25*time.Second
		id := r.send("1")
		r.start(c)
		take(r, entered)
		r.untilKinds(lab.VisibilityOver, 1)
		r.age(lease)
		first := r.events(lab.Received)[0]
		if over := r.events(lab.VisibilityOver)[0].At.Sub(first.At); over > lease || over < lease-time.Second {
			t.Errorf("kept for %s", over)
		}
		r.untilKinds(lab.Deleted, 1) // by the other worker: held
		r.wantRecord("1", "held")
		var renewals int
		for _, e := range r.events(lab.VisibilityChanged) {
			if e.Receipt == first.Receipt {
				renewals++
			}
		}
		if renewals == 0 || count(r.Log(queueName), lab.VisibilityRefused, "") != 0 {
			t.Errorf("%d renewals\n%s", renewals, r.history())
		}
		open()
		r.until("the end of the hung act", func(s lab.Snapshot) bool { return count(s.Events, lab.DeleteRepeated, id) == 1 })
		r.wantRecord("1", "completed") // it did finish, and nobody took over
		r.wantCharges("1", 1)
	})
}

// The lease counts from the claim, not from the start of the long poll that
// waited for the message.
func TestLeaseCountsFromTheReceive(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.consumer(leaseOf(3 * time.Second))
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Visibility = act, time.Second
		id, err := r.Send(queueName, lab.Message{Body: body("1", "1"), Delay: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		r.start(c)
		take(r, entered)
		r.until("renewals", renewed(id, 2))
		open()
		r.untilKinds(lab.Deleted, 1)
		r.wantKinds(id, "sent delay_over received visibility_changed visibility_changed deleted")
	})
}

// A heartbeat on a deleted message is a log line, and the last one.
func TestHeartbeatOnADeletedMessage(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, time.Second
		r.send("1")
		r.start(c)
		take(r, entered)
		if _, err := c.Client.PurgeQueue(r.ctx, &sqs.PurgeQueueInput{QueueUrl: &r.url}); err != nil {
			t.Fatal(err)
		}
		other := r.send("2")
		take(r, entered)
		r.untilKinds(lab.VisibilityRefused, 1)
		seen := count(r.Log(queueName), lab.VisibilityChanged, other)
		r.until("renewals of the other", renewed(other, seen+4))
		r.want(lab.VisibilityRefused, 1)
		r.wantLogged("visibility not renewed", 1)
		open()
		r.untilKinds(lab.DeleteRepeated, 1)
		r.untilKinds(lab.Deleted, 1)
		r.wantRecord("1", "completed")
	})
}

// While the delete takes its time no heartbeat runs.
func TestNoHeartbeatDuringTheDelete(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		act, entered, open := r.till.gated()
		defer open()
		var quick sync.Once
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "1" {
				quick.Do(func() { _ = r.till.charge(ctx, op) })
				return nil
			}
			return act(ctx, op)
		}
		c.Workers, c.Visibility = 2, time.Second
		inDelete, goOn := make(chan struct{}, 10), make(chan struct{})
		r.wire.on("DeleteMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			inDelete <- struct{}{}
			held(q, goOn)
			return next.RoundTrip(q)
		})
		r.start(c)
		other := r.send("2")
		take(r, entered)
		r.until("renewals of the other", renewed(other, 1))
		id := r.send("1")
		take(r, inDelete)
		before := count(r.Log(queueName), lab.VisibilityChanged, id)
		seen := count(r.Log(queueName), lab.VisibilityChanged, other)
		r.until("renewals of the other", renewed(other, seen+5)) // longer than the visibility timeout
		if n := count(r.Log(queueName), lab.VisibilityChanged, id); n != before {
			t.Errorf("%d renewals during the delete", n-before)
		}
		close(goOn)
		r.untilKinds(lab.Deleted, 1) // before the other worker is free to receive it again
		open()
		r.untilKinds(lab.Deleted, 2)
		r.wantKinds(id, "sent received visibility_over deleted")
	})
}

// held keeps a request on the wire until goOn, or for as long as its sender waits.
func held(r *http.Request, goOn <-chan struct{}) {
	select {
	case <-goOn:
	case <-r.Context().Done():
	}
}

// The delete takes so long that another worker receives the message meanwhile.
func TestSlowDelete(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		c.Workers = 2
		first, goOn := true, make(chan struct{})
		inDelete := make(chan struct{}, 10)
		var mu sync.Mutex
		r.wire.on("DeleteMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			mu.Lock()
			slow := first
			first = false
			mu.Unlock()
			if slow {
				inDelete <- struct{}{}
				held(q, goOn)
			}
			return next.RoundTrip(q)
		})
		id := r.send("1")
		r.start(c)
		take(r, inDelete)
		r.Advance(30 * time.Second)
		r.untilKinds(lab.Deleted, 1)
		close(goOn)
		r.untilKinds(lab.DeleteRepeated, 1)
		r.wantKinds(id, "sent received visibility_over received deleted delete_repeated")
		r.wantCharges("1", 1)
	})
}

// Whatever takes time between the guard's own check and the act, the act is not
// entered after its deadline. The control is in time.
func TestActIsNotEnteredAfterItsDeadline(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		const lease = 5 * time.Second
		outside, booking := r.consumer(leaseOf(lease)), r.bookingConsumer()
		own := ownRowJob()
		own.Lease = lease
		booking.Guard = r.guard(r.db, own)
		for _, c := range []Consumer{outside, booking} {
			for took, want := range map[time.Duration]twiceproof.Outcome{lease: twiceproof.Released, lease - time.Second: twiceproof.Completed} {
				c.Visibility = time.Second
				key := fmt.Sprint(c.Guard.Job().Effect.Kind, took)
				h := c.keepInvisible(r.ctx, received{got: time.Now(), asked: time.Now()})
				h.mu.Lock()
				time.AfterFunc(took, h.mu.Unlock)
				result, err := c.runGuarded(r.ctx, twiceproof.Delivery{Fields: job.Fields{"body": map[string]any{"order": key, "amount": "12"}}}, h)
				if err != nil || result.Outcome != want || errors.Is(result.Err, twiceproof.ErrDeadline) != (want == twiceproof.Released) {
					t.Errorf("%s: %+v, %v", key, result, err)
				}
				made := map[twiceproof.Outcome]int{twiceproof.Completed: 1}[want]
				if c.ActTx == nil {
					r.wantCharges(key, made)
				} else {
					r.wantRows(key, made)
				}
			}
		}
	})
}

// A process that was paused for longer than the visibility timeout may have lost a
// message before it is named.
func TestNameOfAMessageThatIsGone(t *testing.T) {
	h := &heartbeat{kept: []*kept{nil, {}}, mu: make(gate, 1)}
	h.name(0, "a")
	h.name(1, "a")
	if got := h.kept[1].key; got != "a" {
		t.Errorf("named %q", got)
	}
}

// Small values work: none makes every message fail before its claim.
func TestOddTimes(t *testing.T) {
	for _, visibility := range []time.Duration{0, time.Second, 5 * time.Second, maxVisibility} {
		for _, lease := range []time.Duration{time.Second, 1500 * time.Millisecond, 5 * time.Second, 20 * time.Hour} {
			t.Run(visibility.String()+" "+lease.String(), func(t *testing.T) {
				inBubble(t, 3, func(t *testing.T, r *rig) {
					c := r.consumer(leaseOf(lease))
					c.Visibility, c.Batch = visibility, maxBatch
					id := r.send("1")
					r.send("2")
					r.start(c)
					r.untilKinds(lab.Deleted, 2)
					r.wantKinds(id, "sent received deleted")
					r.send("3") // alone
					r.untilKinds(lab.Deleted, 3)
					for _, key := range ten[:3] {
						r.wantCharges(key, 1)
					}
					if got := r.events(lab.Received)[0].Visibility; got < time.Second || got > lease {
						t.Errorf("invisible for %s under a lease of %s", got, lease)
					}
				})
			})
		}
	}
}
