package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
)

// A body that does not succeed leaves nothing, however it ends, and the next
// delivery acts.
func TestOwnRowRolledBack(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		r.db.SetMaxOpenConns(1) // one that kept its transaction would block the rest
		for name, c := range map[string]struct {
			end      func(ctx context.Context, cancel func()) error
			returned bool
		}{
			"error":       {func(context.Context, func()) error { return errTill }, true},
			"not applied": {func(context.Context, func()) error { return NotApplied(errTill) }, true},
			"panic":       {func(context.Context, func()) error { panic("out of paper") }, false},
			"goexit":      {func(context.Context, func()) error { runtime.Goexit(); return nil }, false},
			"cancelled":   {func(_ context.Context, cancel func()) error { cancel(); return nil }, true},
			"cancelled, and says so": {func(ctx context.Context, cancel func()) error {
				cancel()
				return ctx.Err()
			}, true},
			"deadline":              {func(ctx context.Context, _ func()) error { <-ctx.Done(); return nil }, true},
			"deadline, and says so": {func(ctx context.Context, _ func()) error { <-ctx.Done(); return context.Cause(ctx) }, true},
		} {
			ctx, cancel := context.WithCancel(context.Background())
			var res Result
			var err error
			_, returned := outside(func() {
				res, err = g.RunTx(ctx, delivery(name), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
					if err := r.book(ctx, tx, op); err != nil {
						t.Error(err)
					}
					return c.end(ctx, cancel)
				})
			})
			cancel()
			if err != nil || returned != c.returned || returned && (res.Outcome != Released || res.Acknowledge() || res.Err == nil) {
				t.Errorf("%s: returned %v, %+v, %v", name, returned, res, err)
			}
			r.awaitFree(name)
			r.wantBooked(name, 0, 0)
			r.wantOutcome(r.runTx(g, name), Completed, true)
			r.wantBooked(name, 1, 1)
		}
	})
}

// awaitFree waits until no transaction has the operation: when a connection was
// closed in the middle, the server rolls back a moment later.
func (r *rig) awaitFree(key string) {
	r.t.Helper()
	switch r.d.dialect {
	case SQLite:
		return
	case MySQL: // a locking read waits for the end of the claim's transaction
		var n int
		if err := r.plain.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.table+" WHERE job_type = ? AND operation_key = ? FOR UPDATE", ownRowJob().Type, key).Scan(&n); err != nil {
			r.t.Fatal(err)
		}
		return
	}
	_, err := r.plain.ExecContext(context.Background(), "SELECT pg_advisory_xact_lock(hashtextextended($1::text || chr(31) || $2::text || chr(31) || $3::text, 0))", r.table, ownRowJob().Type, key)
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestOwnRowCancelledBefore(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res, err := r.guard(ownRowJob()).RunTx(ctx, delivery("k"), r.book)
		if !errors.Is(err, context.Canceled) || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		r.wantBooked("k", 0, 0)
	})
}

// A body that asks the pool for another connection while there is only its own waits
// until its lease ends, and then has lost its transaction.
func TestBodyThatNeedsASecondConnection(t *testing.T) {
	made := newRig(t, databaseOf(Postgres))
	synctest.Test(t, func(t *testing.T) {
		r := newRigOn(t, made)
		r.db.SetMaxOpenConns(1)
		res := r.runTxWith(r.guard(ownRowJob()), "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			_, err := r.db.ExecContext(ctx, "SELECT 1")
			return errors.Join(err, r.book(ctx, tx, op))
		})
		r.wantOutcome(res, Released, false)
		r.awaitFree("k")
		r.wantBooked("k", 0, 0)
		// An outside effect holds no connection.
		res = r.runWith(r.guard(holdJob()), "k", func(ctx context.Context, op *Operation) error {
			_, err := r.db.ExecContext(ctx, "SELECT 1")
			return err
		})
		r.wantOutcome(res, Completed, true)
	})
}

// Everything works with one connection.
func TestOneConnection(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.db.SetMaxOpenConns(1)
		g := r.guard(ownRowJob())
		r.wantOutcome(r.runTx(g, "k"), Completed, true)
		r.wantOutcome(r.runTx(g, "k"), Completed, true)
		r.vanish(r.guard(holdJob()), "claimed", false)
		r.wantOutcome(r.runTx(g, "claimed"), Live, false)
		r.stale("claimed")
		r.wantOutcome(r.runTx(g, "claimed"), Held, true)
		r.wantOutcome(r.runTxWith(g, "e", func(context.Context, *sql.Tx, *Operation) error { return errTill }), Released, false)
		res, err := g.RunTx(context.Background(), delivery("c"), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			return errors.Join(r.book(ctx, tx, op), tx.Commit())
		})
		if err == nil || res.Outcome != Held {
			t.Errorf("%+v, %v", res, err)
		}
		r.wantBooked("k", 1, 1)
		r.wantBooked("e", 0, 0)
	})
}
