package twiceproof

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func TestAcquired(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range []job.Job{holdJob(), lookupJob()} {
			key := string(j.Stale.Policy)
			before := time.Now()
			res := r.runWith(r.guard(j), key, func(ctx context.Context, op *Operation) error {
				r.wantRecord(key, "state=claimed acts=1 given_up=0 vanished=0 claimed_by=w message=set completed_at=null policy="+key)
				r.wantRecord(key, "reference="+op.Reference+" claimed_at="+r.column(key, "first_claimed_at"))
				if op.Key != key || !bytes.Equal(op.Body, delivery(key).Body) {
					t.Errorf("operation %+v", op)
				}
				if end, ok := ctx.Deadline(); !ok || !end.Equal(op.Deadline()) || op.Deadline().Before(before.Add(lease)) || op.Deadline().After(time.Now().Add(lease)) {
					t.Errorf("deadline %v, of the context %v", op.Deadline(), end)
				}
				op.SetResult([]byte("charge 7"))
				return r.till.charge(ctx, op)
			})
			r.wantOutcome(res, Completed, true)
			if res.Repeat || string(res.Value) != "charge 7" || res.Deadline.IsZero() || res.Key != key {
				t.Errorf("%+v", res)
			}
			r.wantRecord(key, "state=completed completion=acted completed_at=set acts=1 message=null held_at=null late_finish_at=null")
			r.wantEffects(key, 1)
		}
	})
}

// The stored lease has the settle time on top, the worker's own has not.
func TestStoredLease(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.vanish(r.guard(holdJob()), "h", false)
		r.vanish(r.guard(lookupJob()), "l", false)
		r.wantRecord("h", "lease_ms=60000")
		r.wantRecord("l", "lease_ms=70000")
	})
}

func TestCompletedAnswersItsResult(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		r.runWith(g, "k", func(ctx context.Context, op *Operation) error {
			op.SetResult([]byte{0, 1, 0xff})
			return r.till.charge(ctx, op)
		})
		r.set("k", "repeats = 1, last_repeat_at = completed_at") // counted just now
		before := r.whole("k")
		r.faults.set(nil)
		res := r.run(g, "k")
		r.wantOutcome(res, Completed, true)
		if !res.Repeat || !bytes.Equal(res.Value, []byte{0, 1, 0xff}) || !res.Deadline.IsZero() || res.RetryAfter != 0 {
			t.Errorf("%+v", res)
		}
		if after := r.whole("k"); after != before {
			t.Errorf("the record changed:\n%s\n%s", before, after)
		}
		if r.d.dialect == SQLite && r.faults.timesSent("claim") != 0 {
			t.Error("a repeat took the lock of the whole database")
		}
		r.wantEffects("k", 1)
	})
}

func TestResults(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for name, c := range map[string]struct{ give, want []byte }{
			"none":      {nil, nil},
			"empty":     {[]byte{}, []byte{}},
			"the limit": {make([]byte, maxResult), make([]byte, maxResult)},
			"over":      {make([]byte, maxResult+1), nil},
		} {
			g := r.guard(holdJob())
			first := r.runWith(g, name, func(_ context.Context, op *Operation) error { op.SetResult(c.give); return nil })
			r.wantOutcome(first, Completed, true)
			for _, got := range [][]byte{first.Value, r.run(g, name).Value} {
				if !bytes.Equal(got, c.want) { // one driver reads an empty value as nil
					t.Errorf("%s: %d bytes", name, len(got))
				}
			}
		}
	})
}

func TestMessages(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		without := holdJob()
		without.StoreMessage = false
		for name, c := range map[string]struct {
			j    job.Job
			size int
			want string
		}{
			"the limit":     {holdJob(), maxMessage, "message=set"},
			"over":          {holdJob(), maxMessage + 1, "message=null"},
			"not wanted":    {without, 10, "message=null"},
			"short":         {holdJob(), 10, "message=0123456789"},
			"empty but set": {holdJob(), 0, "message=set"},
		} {
			d := delivery(name)
			d.Body = []byte("payload")
			d.Message = append([]byte{}, strings.Repeat("0123456789", c.size/10+1)[:c.size]...)
			res, err := r.guard(c.j).Run(context.Background(), d, func(_ context.Context, op *Operation) error {
				r.wantRecord(name, c.want)
				if string(op.Body) != "payload" {
					t.Errorf("%s: the body got %q", name, op.Body)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			r.wantOutcome(res, Completed, true)
			r.wantRecord(name, "message=null")
		}
	})
}

func TestCancelledBeforeTheClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res, err := r.guard(holdJob()).Run(ctx, delivery("k"), r.till.charge)
		if !errors.Is(err, context.Canceled) || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		if r.rows() != 0 || r.till.total() != 0 {
			t.Error("something was claimed or acted")
		}
	})
}
