package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// What the guarantee does not cover, and says: a body that ends the guard's transaction
// with SQL of its own and writes on. Nothing is acknowledged; but in PostgreSQL and SQLite
// what it wrote afterwards is there, once more with each delivery. In MySQL it is not.
func TestBodyThatWritesOnAfterItsRollback(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g, deliveries := r.guard(ownRowJob()), 2
		for range deliveries {
			res, err := g.RunTx(context.Background(), delivery("k"), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				_, err := tx.ExecContext(ctx, "ROLLBACK")
				return errors.Join(err, r.book(ctx, tx, op))
			})
			if !errors.Is(err, ErrBody) || res.Acknowledge() {
				t.Errorf("%+v, %v", res, err)
			}
		}
		want := deliveries
		if r.d.dialect == MySQL {
			want = 0
		}
		r.wantBooked("k", want, 0)
	})
}
