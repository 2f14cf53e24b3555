package twiceproof

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"testing"
)

// database/sql rolls a cancelled transaction back in a goroutine of its own. Setting
// autocommit on again must not come before that: it would commit what is to go.
func TestCancelledIsNotCommitted(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		g := r.guardOn(r.plain, ownRowJob())
		for n := range 1000 {
			ctx, cancel := context.WithCancel(context.Background())
			_, err := g.RunTx(ctx, delivery(fmt.Sprint(n)), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				err := r.book(ctx, tx, op)
				cancel()
				for range n % 200 * 20 { // the goroutine is anywhere by then
					runtime.Gosched()
				}
				return err
			})
			cancel()
			if err != nil {
				t.Error(err)
			}
		}
		if rows, booked := r.rows(), r.bookedInAll(); rows > 0 || booked > 0 {
			t.Errorf("%d records and %d rows of cancelled jobs", rows, booked)
		}
	})
}

// lateRollback is that goroutine at its latest: it comes when the connection has been set
// back. Trusting is a guard that leaves the rollback to it.
type lateRollback struct {
	*sqlTransaction
	trusting bool
}

func (t *lateRollback) Begin(ctx context.Context, claim Statement, marks ...Statement) (string, bool, error) {
	return t.sqlTransaction.Begin(context.WithoutCancel(ctx), claim, marks...) // no goroutine beside it
}

func (t *lateRollback) Rollback(ctx context.Context) {
	if t.undo != nil {
		t.over = t.trusting
		t.unlimit(ctx)
	}
	t.sqlTransaction.Rollback(ctx)
}

func TestLateRollbackIsNotNeeded(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		g := r.guardOn(r.plain, ownRowJob())
		for key, trusting := range map[string]bool{"k": false, "control": true} {
			tx := &lateRollback{&sqlTransaction{db: r.plain, mysql: g.records.mysql, lease: lease}, trusting}
			ctx, cancel := context.WithCancel(context.Background())
			res, err := g.RunIn(ctx, delivery(key), tx, func(ctx context.Context, op *Operation) error {
				defer cancel()
				return r.book(ctx, tx.tx, op)
			})
			if committed := r.booked(key) == 1 && r.exists(key); committed != trusting {
				t.Errorf("%s: committed %v; %+v, %v", key, committed, res, err)
			}
		}
	})
}

func (r *rig) bookedInAll() (n int) {
	r.t.Helper()
	if err := r.plain.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.bookings()).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}
