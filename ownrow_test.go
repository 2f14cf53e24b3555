package twiceproof

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// The same job type, after its effect was moved into the database.
func ownRowJob() job.Job {
	j := holdJob()
	j.Effect = job.Effect{Kind: job.OwnRow, What: "a booking"}
	j.Stale = job.Stale{}
	return j
}

// bookings is the application's table, with no unique key of its own.
func (r *rig) bookings() string { return r.table + "_bookings" }

// book is the effect.
func (r *rig) book(ctx context.Context, tx *sql.Tx, op *Operation) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO "+r.bookings()+" VALUES ("+r.placeholder()+")", op.Key)
	return err
}

func (r *rig) runTx(g *Guard, key string) Result { r.t.Helper(); return r.runTxWith(g, key, r.book) }

func (r *rig) runTxWith(g *Guard, key string, act ActTx) Result {
	r.t.Helper()
	res, err := g.RunTx(context.Background(), delivery(key), act)
	if err != nil {
		r.t.Fatalf("run %s: %v", key, err)
	}
	return res
}

func (r *rig) booked(key string) (n int) {
	r.t.Helper()
	err := r.plain.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.bookings()+" WHERE k = "+r.placeholder(), key).Scan(&n)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// wantBooked compares the number of effects and of records of an operation.
func (r *rig) wantBooked(key string, effects, records int) {
	r.t.Helper()
	got := 0
	if r.exists(key) {
		got = 1
	}
	if n := r.booked(key); n != effects || got != records {
		r.t.Errorf("%s: %d effects and %d records, want %d and %d", key, n, got, effects, records)
	}
}

func TestOwnRow(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		before := time.Now()
		res := r.runTxWith(g, "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			if end, ok := ctx.Deadline(); !ok || !end.Equal(op.Deadline()) || end.Before(before.Add(lease)) || op.Key != "k" || op.Reference == "" || string(op.Body) != "pay k" {
				t.Errorf("%+v until %v", op, end)
			}
			var state string
			err := tx.QueryRowContext(ctx, "SELECT concat(state, completion) FROM "+r.table).Scan(&state)
			if err != nil || state != "completedacted" { // born completed
				t.Errorf("%s, %v", state, err)
			}
			r.wantBooked("k", 0, 0) // and nobody else can see it
			if err := op.Renew(ctx); err == nil {
				t.Error("a transaction's claim was renewed")
			}
			op.SetResult([]byte{0, 1, 0xff})
			return r.book(ctx, tx, op)
		})
		r.wantOutcome(res, Completed, true)
		if res.Repeat || res.Completion != "acted" || !bytes.Equal(res.Value, []byte{0, 1, 0xff}) || res.Deadline.IsZero() {
			t.Errorf("%+v", res)
		}
		r.wantBooked("k", 1, 1)
		r.wantRecord("k", "state=completed completion=acted completed_at=set acts=1 lease_ms=0 claimed_by=w message=null policy=null given_up=0 fingerprint=set")
		res = r.runTx(g, "k")
		r.wantOutcome(res, Completed, true)
		if !res.Repeat || !bytes.Equal(res.Value, []byte{0, 1, 0xff}) || res.Completion != "acted" {
			t.Errorf("%+v", res)
		}
		r.wantBooked("k", 1, 1)
	})
}

func TestOwnRowResults(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		for name, c := range map[string]struct{ give, want []byte }{
			"none": {nil, nil}, "empty": {[]byte{}, nil}, "the limit": {make([]byte, maxResult), make([]byte, maxResult)}, "over": {make([]byte, maxResult+1), nil},
		} {
			first := r.runTxWith(g, name, func(_ context.Context, _ *sql.Tx, op *Operation) error { op.SetResult(c.give); return nil })
			for _, got := range [][]byte{first.Value, r.runTx(g, name).Value} {
				if !bytes.Equal(got, c.want) {
					t.Errorf("%s: %d bytes", name, len(got))
				}
			}
		}
	})
}

func TestOwnRowMismatch(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		r.runTx(g, "k")
		r.vanish(r.guard(holdJob()), "claimed", false)
		r.stale("claimed")
		for _, key := range []string{"k", "claimed"} {
			before := r.whole(key)
			res, err := g.RunTx(context.Background(), deliveryOf(key, "99"), r.book)
			if err != nil || r.whole(key) != before {
				t.Errorf("%s: %v\n%s", key, err, before)
			}
			r.wantOutcome(res, Mismatch, false)
		}
		r.wantBooked("k", 1, 1)
		r.wantBooked("claimed", 0, 1)
	})
}

// A claim from before the effect was moved into the database: its outside effect
// may be out, and even without doubt nobody knows which of the two is meant.
func TestModeChanged(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		own, outside := r.guard(ownRowJob()), r.guard(holdJob())
		for key, change := range map[string]string{"in doubt": "acts = 1", "given up": "given_up = (1 = 1)", "without doubt": "acts = 0, given_up = (1 = 1)"} {
			a := r.vanish(outside, key, false)
			r.set(key, change)
			res := r.runTx(own, key)
			r.wantOutcome(res, Live, false)
			if res.RetryAfter <= 0 || res.RetryAfter > lease {
				t.Errorf("%s: retry after %s", key, res.RetryAfter)
			}
			r.age(key, lease)
			r.wantOutcome(r.runTx(own, key), Held, true)
			r.wantRecord(key, "state=held hold_reason=mode_changed held_at=set message=set policy=null")
			r.wantOutcome(r.runTx(own, key), Held, true)
			r.wantOutcome(r.run(outside, key), Held, true)
			if r.token(key) != a.token {
				t.Errorf("%s: the token changed", key)
			}
			r.wantBooked(key, 0, 1)
			r.wantEffects(key, 0)
		}
	})
}

// And the other way: what was done in a transaction is done.
func TestModeChangedBack(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.runTxWith(r.guard(ownRowJob()), "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			op.SetResult([]byte("r"))
			return r.book(ctx, tx, op)
		})
		for _, j := range everyPolicy() {
			res := r.run(r.guard(j), "k")
			r.wantOutcome(res, Completed, true)
			if !res.Repeat || string(res.Value) != "r" {
				t.Errorf("%s: %+v", j.Stale.Policy, res)
			}
		}
		r.wantEffects("k", 0)
	})
}

func TestWrongVerbForTheEffect(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		if res, err := r.guard(ownRowJob()).Run(context.Background(), delivery("k"), r.till.charge); err == nil || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		if res, err := r.guard(holdJob()).RunTx(context.Background(), delivery("k"), r.book); err == nil || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		res, err := r.guard(ownRowJob()).RunTx(context.Background(), Delivery{}, r.book)
		if !errors.Is(err, ErrKey) || res.Acknowledge() || r.rows() != 0 || r.till.total() != 0 {
			t.Errorf("%+v, %v", res, err)
		}
	})
}
