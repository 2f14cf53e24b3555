package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// Many deliver one key while the first of them holds its transaction open, and then
// commits or rolls back. Nobody gets an error, or is told that there is nothing: after
// a commit all find it completed, or live at first; after a rollback one of them acts.
func TestManyWaitForOne(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		n := full(12, 50)
		open := connections(r, n+1)
		first := r.guardOn(open[n], ownRowJob())
		var others []*Guard
		for _, db := range open[:n] {
			others = append(others, r.guardOn(db, holdJob()))
		}
		for _, end := range []error{nil, errTill} {
			key := fmt.Sprint("then ", end)
			var own int
			var told map[Outcome]int
			var failed []error
			var all sync.WaitGroup
			res, err := first.RunTx(context.Background(), delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				all.Go(func() {
					own, told, failed = atOnce(t, others, key, func(g *Guard, key string) (Result, error) {
						return g.Run(context.Background(), delivery(key), r.till.charge)
					})
				})
				if r.d.dialect != SQLite {
					r.awaitWaiters(n)
				}
				return errors.Join(r.book(ctx, tx, op), end)
			})
			all.Wait()
			wantOwn := map[bool]int{true: 1}[end != nil]
			if err != nil || own != wantOwn || told[Completed]+told[Live] != n || failed != nil {
				t.Errorf("%s: the first %+v, %v; then %d acted, %v, %v", key, res, err, own, told, failed)
			}
			if effects := r.till.count(key) + r.booked(key); effects != 1 {
				t.Errorf("%s: %d effects", key, effects)
			}
			if again := r.run(others[0], key); !again.Repeat {
				t.Errorf("%s: %+v", key, again)
			}
		}
	})
}

// isolation is what this rig's connections have.
func (r *rig) isolation(t *testing.T) string {
	t.Helper()
	return strings.ToLower(show(t, r, map[Dialect]string{
		Postgres: "SHOW transaction_isolation", MySQL: "SELECT REPLACE(@@tx_isolation, '-', ' ')", SQLite: "PRAGMA journal_mode",
	}[r.d.dialect]))
}

// The application has a transaction open and has read in it, so that at the higher
// isolation levels it sees nothing newer; another worker completes the operation. The
// guard, which works on connections of its own, sees it.
func TestOldSnapshotBesideTheGuard(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		level := r.isolation(t)
		if level == "delete" || level == "serializable" && r.d.dialect == MySQL {
			t.Skip("here a reader holds up every writer, so nobody completes beside it")
		}
		for name, run := range map[string]func() Result{
			"outside": func() Result { return r.run(r.guard(holdJob()), "outside") },
			"own row": func() Result { return r.runTx(r.guard(ownRowJob()), "own row") },
		} {
			app, err := r.plain.BeginTx(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			seen := func() (n int) {
				query := "SELECT count(*) FROM " + r.table + " WHERE operation_key = '" + name + "'"
				if err := app.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			before := seen()
			r.wantOutcome(run(), Completed, true)
			if n := seen(); before != 0 || (n == 0) != (level != "read committed") {
				t.Errorf("control: the application sees %d of it at %s", n, level)
			}
			if again := run(); !again.Repeat || again.Outcome != Completed {
				t.Errorf("%s: %+v", name, again)
			}
			if err := app.Rollback(); err != nil {
				t.Error(err)
			}
		}
		r.wantEffects("outside", 1)
		r.wantBooked("own row", 1, 1)
	})
}

// Twenty deliveries of one stale claim beside sweeps that run again and again: no error,
// one takeover, one effect. From repeatable read up PostgreSQL refuses the losers with
// 40001, and the guard sends again. MariaDB, with snapshot isolation too, lets them wait:
// each is one statement that locks what it reads.
func TestManyDeliveriesBesideASweep(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		j := withPolicy(job.Lookup)
		const deliveries = 20
		var guards []*Guard
		for range deliveries {
			guards = append(guards, r.guard(j))
		}
		r.db.SetMaxIdleConns(deliveries)
		var refused atomic.Int64
		r.faults.onRefusal = func(_ string, err error) {
			if dialect.Busy(err) {
				refused.Add(1)
			}
		}
		level := r.isolation(t)
		refuses := r.d.dialect == Postgres && level != "read committed"
		for round := 0; round < full(2, 30) || refuses && refused.Load() == 0 && round < 200; round++ {
			r.besideSweeps(guards, j, fmt.Sprint("k", round))
		}
		if refuses && refused.Load() == 0 {
			t.Errorf("at %s nobody was refused: they never met", level)
		}
	})
}

// besideSweeps lets all deliver a stale claim while sweeps run until they are through.
func (r *rig) besideSweeps(guards []*Guard, j job.Job, key string) {
	r.t.Helper()
	r.vanish(r.guardOn(r.plain, j), key, false)
	r.stale(key)
	queue, over := &pushes{}, make(chan struct{})
	var sweeps sync.WaitGroup
	sweeps.Go(func() {
		for {
			r.sweepTogether(2, j, queue, nil)
			select {
			case <-over:
				return
			default:
			}
		}
	})
	own, told, failed := atOnce(r.t, guards, key, func(g *Guard, key string) (Result, error) {
		return g.Run(context.Background(), delivery(key), r.till.charge)
	})
	close(over)
	sweeps.Wait()
	if own != 1 || len(failed) != 0 || told[Completed]+told[Live] != len(guards) {
		r.t.Errorf("%s: %d acted, %v, %v", key, own, told, failed)
	}
	for range queue.count(key) { // what the sweep put back
		if res := r.run(guards[0], key); !res.Repeat {
			r.t.Errorf("%s, put back: %+v", key, res)
		}
	}
	r.wantRecord(key, "state=completed completion=acted acts=2 vanished=1 late_finish_at=null")
	r.wantEffects(key, 1)
}
