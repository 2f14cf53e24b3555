package sqsconsumer

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

func TestRefusedAtTheStart(t *testing.T) {
	r := newRig(t, 0)
	for want, change := range map[string]func(*Consumer){
		"Client, QueueURL and Guard are needed":   func(c *Consumer) { c.Client = nil },
		"one of Act and ActTx is needed":          func(c *Consumer) { c.Act = nil },
		"must not be negative":                    func(c *Consumer) { c.Visibility = -1 },
		"visibility 1.5s is not in whole seconds": func(c *Consumer) { c.Visibility = 1500 * time.Millisecond },
		"longer than the 12 hours":                func(c *Consumer) { c.Visibility = maxVisibility + time.Second },
		"none: operation error SQS":               func(c *Consumer) { c.QueueURL = r.URL() + "/000000000000/none" },
	} {
		c := r.consumer(holdJob())
		change(&c)
		if err := c.Run(r.ctx); err == nil || !strings.HasPrefix(err.Error(), "start consumer: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if n := r.wire.made("ReceiveMessage"); n != 0 {
		t.Errorf("%d receives", n)
	}
}

// A consumer that may not ask about its queue works all the same.
func TestQueueThatMayNotBeAskedAbout(t *testing.T) {
	r := newRig(t, leastReceives-1)
	r.wire.on("GetQueueAttributes", refuse(403, "AccessDenied"))
	r.send("1")
	r.start(r.consumer(holdJob()))
	r.untilKinds(lab.Deleted, 1)
	r.wantLogged("queue not checked", 1)
	r.wantLogged("maxReceiveCount is so low", 0)
}

func TestNothingIsReceivedAfterTheEnd(t *testing.T) {
	r := newRig(t, 0)
	r.send("1")
	ended, cancel := context.WithCancel(r.ctx)
	cancel()
	if err := r.consumer(holdJob()).Run(ended); err != nil {
		t.Error(err)
	}
	r.want(lab.Received, 0)
	r.wantLogged("level=WARN", 0)
	r.start(r.consumer(holdJob())) // the control
	r.untilKinds(lab.Received, 1)
}

func TestMaxReceives(t *testing.T) {
	for policy, want := range map[string]int64{
		"": 0, "{}": 0, "{": 0, `{"maxReceiveCount":2}`: 2, `{"maxReceiveCount":"5"}`: 5, `{"maxReceiveCount":2.5}`: 0, `{"maxReceiveCount":null}`: 0,
	} {
		if got := maxReceives(policy); got != want {
			t.Errorf("%s: %d, want %d", policy, got, want)
		}
	}
}

// A queue that fails is asked again, later each time, and the next success
// forgets it.
func TestReceiveThatFails(t *testing.T) {
	r := newRig(t, 0)
	c := r.consumer(holdJob())
	var asked atomic.Int64
	r.wire.on("ReceiveMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
		if asked.Add(1) == 4 {
			return next.RoundTrip(q)
		}
		return refuse(403, "AccessDenied")(q, next)
	})
	pauses := make(chan time.Duration)
	c.pause = func(ctx context.Context, d time.Duration) {
		select {
		case pauses <- d:
		case <-ctx.Done():
		}
	}
	r.send("1")
	r.start(c)
	var got []time.Duration
	for range 5 {
		got = append(got, take(r, pauses))
	}
	if want := "[1s 2s 3s 1s 2s]"; fmt.Sprint(got) != want {
		t.Errorf("pauses %v, want %s", got, want)
	}
	r.wantCharges("1", 1)
}
