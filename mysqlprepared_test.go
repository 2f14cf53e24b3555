package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// onEveryProtocol: with interpolateParams a statement's text goes out with its values;
// without, each is prepared, executed and closed. Apart is how MySQL 8 is sent them, which
// does not take several statements as one.
func onEveryProtocol(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	for name, c := range map[string]struct{ interpolated, apart bool }{"text": {true, false}, "prepared": {false, false}, "apart": {true, true}} {
		t.Run(name, func(t *testing.T) {
			r := mysqlRig(t, func(config *mysql.Config) {
				config.InterpolateParams, config.ClientFoundRows = c.interpolated, c.interpolated
				config.Params["innodb_lock_wait_timeout"] = "40"
			})
			r.apart = c.apart
			test(t, r)
		})
	}
}

// The claim of an own row does not wait for another transaction's, however it travels:
// if it did, this would take 40 s for each.
func TestMySQLOwnRowDoesNotWait(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		res := r.runTxWith(g, "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			began := time.Now()
			r.wantOutcome(r.runTx(g, "k"), Live, false)
			r.wantOutcome(r.runTx(g, "another"), Completed, true)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it waited for %s", took)
			}
			var wait int // the body's own is as it was
			if err := tx.QueryRowContext(ctx, "SELECT @@innodb_lock_wait_timeout").Scan(&wait); err != nil || wait != 40 {
				t.Errorf("innodb_lock_wait_timeout %d in the body, %v", wait, err)
			}
			return r.book(ctx, tx, op)
		})
		r.wantOutcome(res, Completed, true)
		r.wantBooked("k", 1, 1)
		r.wantBooked("another", 1, 1)
	})
}

// A body that does not succeed leaves nothing, over one connection and in real time.
func TestMySQLOwnRowRolledBack(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		g := r.guard(shortOwnRowJob())
		r.db.SetMaxOpenConns(1)
		for name, end := range map[string]func(ctx context.Context, cancel func()) error{
			"error":     func(context.Context, func()) error { return errTill },
			"panic":     func(context.Context, func()) error { panic("out of paper") },
			"goexit":    func(context.Context, func()) error { runtime.Goexit(); return nil },
			"cancelled": func(_ context.Context, cancel func()) error { cancel(); return nil },
			"deadline":  func(ctx context.Context, _ func()) error { <-ctx.Done(); return context.Cause(ctx) },
		} {
			ctx, cancel := context.WithCancel(context.Background())
			_, returned := outside(func() {
				res, err := g.RunTx(ctx, delivery(name), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
					return errors.Join(r.book(ctx, tx, op), end(ctx, cancel))
				})
				if err != nil || res.Outcome != Released {
					t.Errorf("%s: %+v, %v", name, res, err)
				}
			})
			cancel()
			if returned == (name == "panic" || name == "goexit") {
				t.Errorf("%s: returned %v", name, returned)
			}
			r.awaitEnd(name)
			r.wantBooked(name, 0, 0)
			r.wantOutcome(r.runTx(r.guard(ownRowJob()), name), Completed, true)
			r.wantBooked(name, 1, 1)
		}
	})
}

// Results, repeats, takeovers and holds are the same over each.
func TestMySQLProtocols(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		value := []byte{0, 1, 0xff, '\'', '\\', '"', '\n', 0x1a}
		for range 2 {
			res := r.runWith(r.guard(holdJob()), "k", func(ctx context.Context, op *Operation) error {
				op.SetResult(value)
				return r.till.charge(ctx, op)
			})
			r.wantOutcome(res, Completed, true)
			if string(res.Value) != string(value) {
				t.Errorf("%q", res.Value)
			}
		}
		r.wantEffects("k", 1)
		r.vanish(r.guard(lookupJob()), "l", false)
		r.stale("l")
		r.wantOutcome(r.run(r.guard(lookupJob()), "l"), Completed, true)
		r.wantRecord("l", "acts=2 vanished=1 completion=acted")
		r.vanish(r.guard(holdJob()), "h", true)
		r.stale("h")
		r.wantOutcome(r.run(r.guard(holdJob()), "h"), Held, true)
		r.wantEffects("h", 1)
	})
}
