package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

// full runs the long repeats.
func full(few, many int) int {
	if os.Getenv("TWICEPROOF_FULL") != "" {
		return many
	}
	return few
}

// meetTx is meet for own rows.
func meetTx(t *testing.T, r *rig, crew []*sql.DB, key string, act ActTx) []Result {
	t.Helper()
	results := make([]Result, len(crew))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, db := range crew {
		g := r.guardOn(db, ownRowJob())
		all.Go(func() {
			<-start
			res, err := g.RunTx(context.Background(), delivery(key), act)
			if err != nil {
				t.Errorf("%s: %v", key, err)
			}
			results[i] = res
		})
	}
	close(start)
	all.Wait()
	return results
}

// However many deliver at once, at every isolation: one effect, and nobody fails.
func TestOneBooks(t *testing.T) {
	crews(t, func(t *testing.T, r *rig, crew []*sql.DB) {
		live := 0
		for range full(1, 15) {
			rounds(t, r, crew, func(crew []*sql.DB, key string) {
				key += " " + newToken()[:8]
				n := tally(meetTx(t, r, crew, key, r.book))
				if n[Completed] < 1 || n[Completed]+n[Live] != len(crew) {
					t.Errorf("%s: %v", key, n)
				}
				live += n[Live]
				r.wantBooked(key, 1, 1)
			})
		}
		if live == 0 && r.d.dialect == Postgres {
			t.Error("the workers never met")
		}
	})
}

// The first of those that meet fail and roll back: somebody wins in the end.
func TestSomebodyBooks(t *testing.T) {
	crews(t, func(t *testing.T, r *rig, crew []*sql.DB) {
		for range full(10, 200) {
			key := newToken()
			var mu sync.Mutex
			failures := 0
			act := func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				mu.Lock()
				defer mu.Unlock()
				if failures < 2 {
					failures++
					return errors.Join(r.book(ctx, tx, op), errTill)
				}
				return r.book(ctx, tx, op)
			}
			for tries := 0; tally(meetTx(t, r, crew[:3], key, act))[Completed] == 0; tries++ {
				if tries > 10 {
					t.Fatalf("%s: nobody won", key)
				}
			}
			r.wantBooked(key, 1, 1)
		}
	})
}

// While the first one's transaction is open the second has its answer: the first
// waits for it in its body. Another key is not in the way.
func TestSecondDeliveryIsAnsweredAtOnce(t *testing.T) {
	for _, isolation := range []string{"read committed", "repeatable read", "serializable"} {
		made := newRig(t, databaseOf(Postgres))
		made.dsn += "&default_transaction_isolation=" + strings.ReplaceAll(isolation, " ", "%20")
		r := newRigOn(t, made)
		g := r.guard(ownRowJob())
		res := r.runTxWith(g, "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			if err := r.book(ctx, tx, op); err != nil {
				return err
			}
			second := r.runTx(g, "k")
			r.wantOutcome(second, Live, false)
			if second.RetryAfter <= 0 {
				t.Errorf("%+v", second)
			}
			r.wantOutcome(r.runTx(g, "another"), Completed, true)
			return nil
		})
		r.wantOutcome(res, Completed, true)
		r.wantBooked("k", 1, 1)
		r.wantBooked("another", 1, 1)
	}
}

// impatient opens a SQLite database again, without waiting for a writer.
func impatient(made *rig) *rig {
	made.dsn = strings.Replace(made.dsn, "busy_timeout(5000)", "busy_timeout(1)", 1)
	return newRigOn(made.t, made)
}

// In SQLite whoever writes has the whole database: every other key is Live, too, as
// soon as the connection's own busy timeout is over. What is completed already is
// not.
func TestSQLiteBlocksEveryKey(t *testing.T) {
	made := newRig(t, databaseOf(SQLite))
	r := impatient(made)
	g := r.guard(ownRowJob())
	r.runTx(g, "done")
	res := r.runTxWith(g, "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		for _, key := range []string{"k", "another"} {
			r.wantOutcome(r.runTx(g, key), Live, false)
		}
		r.wantOutcome(r.runTx(g, "done"), Completed, true)
		return r.book(ctx, tx, op)
	})
	r.wantOutcome(res, Completed, true)
	r.wantBooked("k", 1, 1)
	r.wantBooked("another", 0, 0)
}
