package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// sendAll puts all on before a consumer starts, so that one receive gets them.
func (r *rig) sendAll(keys ...string) (ids []string) {
	r.t.Helper()
	for _, key := range keys {
		ids = append(ids, r.send(key))
	}
	return ids
}

func (r *rig) batchConsumer() Consumer {
	c := r.consumer(holdJob())
	c.Batch = maxBatch
	return c
}

var ten = strings.Fields("1 2 3 4 5 6 7 8 9 10")

// Ten messages: one receive, one delete. The control is the consumer of one.
func TestBatch(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		ids := r.sendAll(ten...)
		stop := r.start(r.batchConsumer())
		r.untilKinds(lab.Deleted, 10)
		r.untilIdle(1)
		stop()
		for i, id := range ids {
			r.wantKinds(id, "sent received deleted")
			r.wantRecord(ten[i], "completed")
			r.wantCharges(ten[i], 1)
		}
		if many, one := r.wire.made("DeleteMessageBatch"), r.wire.made("DeleteMessage"); many != 1 || one != 0 {
			t.Errorf("%d batch deletes and %d single ones", many, one)
		}
		r.wantLogged("level=WARN", 0)
		r.until("the end of the polls", func(s lab.Snapshot) bool { return s.Polling == 0 })
		r.sendAll("11", "12")
		r.start(r.consumer(holdJob()))
		r.untilKinds(lab.Deleted, 12)
		r.until("an idle worker", func(s lab.Snapshot) bool { return s.Polling == 1 })
		if one := r.wire.made("DeleteMessage"); one != 2 {
			t.Errorf("%d single deletes", one)
		}
	})
}

// Each message of a batch gets its own end, and no other's.
func TestBatchWithEveryOutcome(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		r.vanish("live", holdJob())
		c := r.batchConsumer()
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			switch {
			case op.Key == "refused":
				return twiceproof.NotApplied(errors.New("connection refused"))
			case op.Key == "unknown" && r.till.count("unknown") == 0:
				_ = r.till.charge(ctx, op)
				return errors.New("time-out after the charge")
			}
			return r.till.charge(ctx, op)
		}
		histories := map[string]string{
			r.send("good1"):       "sent received deleted",
			r.send("refused"):     "sent received",
			r.send("unknown"):     "sent received visibility_changed visibility_over received deleted",
			r.send("live"):        "sent received visibility_changed",
			r.sendBody("no JSON"): "sent received",
			r.send("good1"):       "sent received deleted",
			r.send("good2"):       "sent received deleted",
		}
		r.start(c)
		r.untilKinds(lab.Deleted, 4)
		r.untilIdle(1)
		for id, want := range histories {
			r.wantKinds(id, want)
		}
		r.wantRecord("refused", "claimed given_up")
		r.wantRecord("unknown", "held given_up")
		for key, want := range map[string]int{"good1": 1, "good2": 1, "unknown": 1, "refused": 0, "live": 0} {
			r.wantCharges(key, want)
		}
	})
}

func TestBatchDeleteThatFails(t *testing.T) {
	failed := func(code string, sender bool) hook {
		return func(q *http.Request, _ http.RoundTripper) (*http.Response, error) {
			_ = q.Body.Close()
			text := fmt.Sprintf(`{"Successful":[{"Id":"1"}],"Failed":[{"Id":"0","Code":%q,"SenderFault":%t},{"Id":"?","Code":"x","SenderFault":false}]}`, code, sender)
			return &http.Response{
				StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
				Body: io.NopCloser(strings.NewReader(text)), Request: q,
			}, nil
		}
	}
	for name, c := range map[string]struct {
		hook    hook
		singles int // deleted alone at once
	}{
		"one entry":         {failed("InternalError", false), 1},
		"one entry refused": {failed("ReceiptHandleIsInvalid", true), 0},
		"all":               {refuse(500, "InternalFailure"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3)
			r.wire.on("DeleteMessageBatch", c.hook) // which deletes none
			r.sendAll("1", "2")
			r.start(r.batchConsumer())
			r.untilKinds(lab.Received, 2)
			r.untilIdle(1)
			r.want(lab.Deleted, c.singles)
			r.wire.on("DeleteMessageBatch", nil)
			r.Advance(30 * time.Second)
			r.untilKinds(lab.Deleted, 2)
			r.want(lab.Received, 4-c.singles)
			r.wantCharges("1", 1)
			r.wantCharges("2", 1)
		})
	}
}

// The first act takes long: no message of the batch becomes visible meanwhile.
func TestBatchIsKeptInvisible(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, 3*time.Second
		ids := r.sendAll("1", "2", "3")
		r.start(c)
		take(r, entered)
		for _, id := range ids {
			r.until("renewals", renewed(id, 4))
		}
		r.want(lab.Received, 3)
		open()
		r.untilKinds(lab.Deleted, 3)
		r.want(lab.Received, 3)
		if r.wire.made("ChangeMessageVisibility") != 0 || r.wire.made("ChangeMessageVisibilityBatch") < 4 {
			t.Error("not renewed together")
		}
	})
}

// The control: without renewals another worker gets them, and the claims decide.
func TestBatchThatIsNotRenewed(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, time.Second
		r.wire.on("ChangeMessageVisibilityBatch", refuse(500, "InternalFailure"))
		r.wire.on("ChangeMessageVisibility", refuse(500, "InternalFailure"))
		r.sendAll("1", "2", "3")
		r.start(c)
		take(r, entered)
		r.untilKinds(lab.Received, 9)
		open()
		r.untilKinds(lab.Deleted, 3)
		for _, key := range ten[:3] {
			r.wantCharges(key, 1)
			r.wantRecord(key, "completed")
		}
	})
}

// The heartbeat of one that was ended has stopped, those of the others go on.
func TestBatchMessageThatIsEndedIsNotRenewed(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		gated, entered, open := r.till.gated()
		defer open()
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "1" {
				return twiceproof.NotApplied(errors.New("connection refused"))
			}
			return gated(ctx, op)
		}
		c.Visibility = 3 * time.Second
		ids := r.sendAll("1", "2")
		stop := r.start(c)
		take(r, entered)
		r.until("renewals of the other", renewed(ids[1], 6)) // longer than the visibility timeout
		r.wantKinds(ids[0], "sent received visibility_over")
		open()
		r.untilKinds(lab.Deleted, 1)
		stop()
	})
}

// The completions of a batch whose next act hangs are stored and deleted.
func TestBatchWithAnActThatHangs(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		gated, entered, open := r.till.gated()
		defer open()
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "3" {
				return gated(ctx, op)
			}
			return r.till.charge(ctx, op)
		}
		r.sendAll("1", "2", "3", "4")
		r.start(c)
		take(r, entered)
		r.untilKinds(lab.Deleted, 2)
		r.wantRecord("3", "claimed")
		r.wantRecord("4", "claimed")
		open()
		r.untilKinds(lab.Deleted, 4)
		r.wantCharges("4", 1)
	})
}

// The consumer ends in the middle of a batch: what was not begun goes back at once,
// unacted and without a doubt.
func TestBatchInTheMomentOfTheStop(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		ctx, cancel := context.WithCancel(r.ctx)
		c.Grace = time.Millisecond
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "1" {
				return r.till.charge(ctx, op)
			}
			cancel()
			<-ctx.Done()
			return op.Check(ctx)
		}
		ids := r.sendAll("1", "2", "3", "4")
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
		r.wantKinds(ids[0], "sent received deleted")
		for i, id := range ids[1:] {
			r.wantKinds(id, "sent received visibility_changed visibility_over")
			r.wantCharges(ten[i+1], 0)
		}
		r.start(r.batchConsumer()) // the control
		r.untilKinds(lab.Deleted, 4)
		for _, key := range ten[:4] {
			r.wantCharges(key, 1)
		}
	})
}
