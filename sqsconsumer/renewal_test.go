package sqsconsumer

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// A renewal that is on its way when the act ends is waited for, not cut off: it
// could arrive after the put back and undo it.
func TestRenewalOnItsWayIsWaitedFor(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.consumer(holdJob())
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Visibility = act, 3*time.Second
		inRenewal, goOn := make(chan struct{}, 10), make(chan struct{})
		var mu sync.Mutex
		var order []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		r.wire.on("ChangeMessageVisibility", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			inRenewal <- struct{}{}
			select {
			case <-goOn:
			case <-q.Context().Done():
				note("cut off")
			}
			out, err := next.RoundTrip(q)
			note("renewed")
			return out, err
		})
		r.wire.on("DeleteMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			note("delete")
			return next.RoundTrip(q)
		})
		completed := make(chan struct{})
		r.log.when("msg=completed", completed)
		r.send("1")
		r.start(c)
		take(r, entered)
		take(r, inRenewal)
		open()
		take(r, completed)
		close(goOn)
		r.untilKinds(lab.Deleted, 1)
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(order, ", "); got != "renewed, delete" {
			t.Error(got)
		}
	})
}

// A renewal on its way does not keep the next act waiting.
func TestActDoesNotWaitForARenewal(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		act, entered, open := r.till.gated()
		defer open()
		second := make(chan string, 1)
		c.Visibility = 3 * time.Second
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if len(r.till.charges) > 0 {
				second <- op.Key
				return r.till.charge(ctx, op)
			}
			return act(ctx, op)
		}
		inRenewal, goOn := make(chan struct{}, 10), make(chan struct{})
		release := sync.OnceFunc(func() { close(goOn) })
		defer release()
		r.wire.on("ChangeMessageVisibilityBatch", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
			inRenewal <- struct{}{}
			held(q, goOn)
			return next.RoundTrip(q)
		})
		r.sendAll("1", "2")
		r.start(c)
		take(r, entered)
		take(r, inRenewal)
		open()
		take(r, second)
		if n := count(r.Log(queueName), lab.VisibilityChanged, ""); n != 0 {
			t.Errorf("%d renewals arrived before the second act", n)
		}
		release()
		r.untilKinds(lab.Deleted, 2)
	})
}

// A renewal that the lease cut short is followed sooner, in case the lease was
// renewed meanwhile; one that failed or is over is not.
func TestRestBetweenRenewals(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		invisible, end, want time.Duration
	}{{30, 60, 10}, {4, 60, 2}, {-1, 60, 10}, {4, -1, 10}} {
		r := received{asked: now}
		h := &heartbeat{mu: make(gate, 1), Consumer: Consumer{Visibility: 30 * time.Second}, kept: []*kept{nil, {
			received: r, leaseEnd: now.Add(c.end * time.Second), invisible: now.Add(c.invisible * time.Second), //nolint:durationcheck // in seconds
		}}}
		if got := h.rest().Round(time.Second); got != c.want*time.Second { //nolint:durationcheck // in seconds
			t.Errorf("%+v: %s", c, got)
		}
	}
}
