package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"
)

// The guard takes a pool, never a transaction, so it cannot run inside one of the
// caller's. Its statements would not hurt one, either: a duplicate does not raise.
func TestDuplicateLeavesTheCallersTransactionAlive(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		r.run(g, "k")
		c, err := g.prepare(delivery("k"))
		if err != nil {
			t.Fatal(err)
		}
		tx, err := r.plain.BeginTx(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		book := func(key string) {
			if err := r.book(context.Background(), tx, &Operation{Key: key}); err != nil {
				t.Error(err)
			}
		}
		book("before")
		own := g.records.claimOwnRow(c)
		for _, s := range []Statement{own, g.records.statement(g.records.sql.Claim, g.job.Type, c.key, c.token, 1, "w", "hold", nil, nil, "r", nil)} {
			if _, err := tx.ExecContext(context.Background(), s.SQL, s.Args...); err != nil {
				t.Error(err)
			}
		}
		book("after")
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if r.booked("before") != 1 || r.booked("after") != 1 {
			t.Error("the caller's rows are gone")
		}
		r.wantEffects("k", 1)
	})
}

// The application has a transaction of its own open; the job inside it is claimed
// and completed on another connection, whatever becomes of that transaction.
func TestRunInsideTheCallersTransaction(t *testing.T) {
	r := newRig(t, databaseOf(Postgres))
	tx, err := r.plain.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.book(context.Background(), tx, &Operation{Key: "app"}); err != nil {
		t.Fatal(err)
	}
	r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
	r.wantEffects("k", 1)
}

// An outside effect is made while the guard has nothing open in the database:
// the claim is committed, no connection is in a transaction, and an idle timeout that
// is shorter than the act ends nothing.
func TestOutsideEffectHoldsNoTransaction(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			g, key := r.guard(j), string(j.Stale.Policy)
			look := func(ctx context.Context, op *Operation) error {
				if r.db.Stats().InUse != 0 || r.faults.timesSent("begin") != 0 {
					t.Errorf("%s: %d connections in use, %d transactions", key, r.db.Stats().InUse, r.faults.timesSent("begin"))
				}
				r.wantRecord(key, "state=claimed")
				return errors.Join(r.till.charge(ctx, op), errTill)
			}
			g.lookUp = func(ctx context.Context, op *Operation) (bool, error) { return false, look(ctx, op) }
			r.faults.set(nil)
			r.runWith(g, key, look)
			r.stale(key)
			r.runWith(g, key, look)
		}
	})
}

// The control: an own row has one, and it ends with its lease.
func TestOwnRowHoldsATransaction(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.faults.set(nil)
		r.runTxWith(r.guard(ownRowJob()), "k", func(ctx context.Context, _ *sql.Tx, op *Operation) error {
			if r.db.Stats().InUse != 1 || r.faults.timesSent("begin") != 1 || time.Until(op.Deadline()) > lease {
				t.Errorf("%d connections, %d transactions", r.db.Stats().InUse, r.faults.timesSent("begin"))
			}
			return nil
		})
		if r.db.Stats().InUse != 0 {
			t.Error("the connection was not given back")
		}
	})
}
