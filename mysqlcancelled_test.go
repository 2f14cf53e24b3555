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
	r := newRig(t, databaseOf(MySQL))
	g := r.guardOn(r.plain, ownRowJob())
	for n := range 3000 {
		ctx, cancel := context.WithCancel(context.Background())
		key := fmt.Sprint(n)
		_, err := g.RunTx(ctx, delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
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
}

func (r *rig) bookedInAll() (n int) {
	r.t.Helper()
	if err := r.plain.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.bookings()).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}
