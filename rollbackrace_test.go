package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
)

// waiters counts the connections that wait for a lock; SQLite cannot tell.
func (r *rig) waiters() (n int) {
	r.t.Helper()
	if r.d.dialect == Postgres {
		query := "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%" + r.table + "%'"
		if err := r.plain.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
			r.t.Fatal(err)
		}
		return n
	}
	// Not information_schema.innodb_trx: it is not made anew while it is read often.
	var kind, name, status string
	if err := r.plain.QueryRowContext(context.Background(), "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &status); err != nil {
		r.t.Fatal(err)
	}
	for one := range strings.SplitSeq(status, "---TRANSACTION") {
		if strings.Contains(one, "LOCK WAIT") && strings.Contains(one, r.table) {
			n++
		}
	}
	return n
}

func (r *rig) awaitWaiters(n int) {
	r.t.Helper()
	for until := time.Now().Add(time.Minute); r.waiters() < n; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(until) {
			r.t.Fatalf("%d wait for the first one's record, want %d", r.waiters(), n)
		}
	}
}

// Three claim one key, and the first rolls back while the two others wait for its
// record: InnoDB's three-inserts deadlock. No error reaches the job, and one of the two
// acts.
func TestFirstOfThreeRollsBack(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		open := connections(r, 3)
		first, others := r.guardOn(open[0], ownRowJob()), []*Guard{r.guardOn(open[1], holdJob()), r.guardOn(open[2], holdJob())}
		for round := range full(2, 200) {
			key := fmt.Sprint("three ", round)
			var own int
			var told map[Outcome]int
			var failed []error
			var both sync.WaitGroup
			res, err := first.RunTx(context.Background(), delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				both.Go(func() {
					own, told, failed = atOnce(t, others, key, func(g *Guard, key string) (Result, error) {
						return g.Run(context.Background(), delivery(key), r.till.charge)
					})
				})
				if r.d.dialect != SQLite {
					r.awaitWaiters(2)
				}
				return errors.Join(r.book(ctx, tx, op), errTill)
			})
			both.Wait()
			if err != nil || res.Outcome != Released || own != 1 || told[Completed]+told[Live] != 2 || failed != nil {
				t.Errorf("%s: the first %+v, %v; then %d acted, %v, %v", key, res, err, own, told, failed)
			}
			r.wantEffects(key, 1)
			if r.booked(key) != 0 {
				t.Errorf("%s: the first one's row is there", key)
			}
		}
	})
}

// The same with own rows: the two others do not wait, and one of the three gets it when
// it comes again.
func TestFirstOfThreeOwnRowsRollsBack(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		var guards []*Guard
		for _, db := range connections(r, 3) {
			guards = append(guards, r.guardOn(db, ownRowJob()))
		}
		for round := range full(2, 200) {
			key := fmt.Sprint("three ", round)
			var failing sync.Once
			for tries := 0; r.booked(key) == 0; tries++ {
				_, told, failed := atOnce(t, guards, key, func(g *Guard, key string) (Result, error) {
					return g.RunTx(context.Background(), delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) (err error) {
						failing.Do(func() { err = errTill })
						return errors.Join(err, r.book(ctx, tx, op))
					})
				})
				if told[Completed] > 0 && r.booked(key) != 1 {
					t.Errorf("%s: told that it is done, and it is not: %v", key, told)
				}
				if failed != nil || told[Completed]+told[Live]+told[Released] != 3 {
					t.Errorf("%s: %v, %v", key, told, failed)
				}
				if tries > 10 {
					t.Fatalf("%s: nobody won", key)
				}
			}
			r.wantBooked(key, 1, 1)
		}
	})
}

// Neighbours in the index are in nobody's way: 200 keys at once, all done, no error.
func TestNeighbours(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		keys := full(40, 200)
		open := connections(r, 20)
		for name, way := range claims(r) {
			if name == "takeover" {
				continue
			}
			var all sync.WaitGroup
			for i, db := range open {
				g := way.guard(db)
				all.Go(func() {
					for n := i; n < keys; n += len(open) {
						r.untilDone(fmt.Sprintf("%s %03d", name, n), g, way.deliver)
					}
				})
			}
			all.Wait()
			for n := range keys {
				if key := fmt.Sprintf("%s %03d", name, n); way.effects(key) != 1 {
					t.Errorf("%s: %d effects", key, way.effects(key))
				}
			}
		}
	})
}

// untilDone delivers again while it is live.
func (r *rig) untilDone(key string, g *Guard, deliver func(g *Guard, key string) (Result, error)) {
	for range 50 {
		res, err := deliver(g, key)
		if err != nil || res.Outcome == Completed {
			if err != nil {
				r.t.Errorf("%s: %v", key, err)
			}
			return
		}
	}
	r.t.Errorf("%s: never done", key)
}

// The control: a claim of an own row that waits is ended by the server's deadlock
// detection or its time-out, and that is what a guard without care would show.
func TestFirstOfThreeControl(t *testing.T) {
	r := mysqlRig(t, isolated("REPEATABLE-READ"))
	spoilt := func(g *Guard) *Guard {
		text, _, _ := strings.Cut(g.records.sql.Claim, "ON DUPLICATE")
		g.records.sql.Claim = text // INSERT alone: the waiters take a shared lock, and then both want more
		g.records.mysql.found = &mysqlSession{}
		return g
	}
	open := connections(r, 3)
	insert := func(g *Guard, key string) (Result, error) {
		c, err := g.prepare(delivery(key))
		if err != nil {
			return Result{}, err
		}
		s := g.records.statement(g.records.sql.Claim, g.records.claimArgs(c)...)
		_, err = g.records.db.ExecContext(context.Background(), s.SQL, s.Args...)
		return Result{Outcome: Completed}, err
	}
	others := []*Guard{spoilt(r.guardOn(open[1], holdJob())), spoilt(r.guardOn(open[2], holdJob()))}
	var failed []error
	var both sync.WaitGroup
	_, _ = r.guardOn(open[0], ownRowJob()).RunTx(context.Background(), delivery("k"), func(context.Context, *sql.Tx, *Operation) error {
		both.Go(func() { _, _, failed = atOnce(t, others, "k", insert) })
		r.awaitWaiters(2)
		return errTill
	})
	both.Wait()
	if len(failed) != 1 || !dialect.Busy(failed[0]) {
		t.Errorf("%v, want one deadlock", failed)
	}
}
