package twiceproof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Statements that are prepared first are struck like the others.
func (c *faultyConn) PrepareContext(ctx context.Context, q string) (driver.Stmt, error) {
	if c.broken {
		return nil, driver.ErrBadConn
	}
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, q)
	return faultyStmt{s, c, q}, err
}

type faultyStmt struct {
	driver.Stmt
	conn *faultyConn
	q    string
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (result driver.Result, err error) {
	err = s.conn.around(ctx, s.q, func() (err error) {
		result, err = s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
		return err
	}, func() {})
	return result, err
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = s.conn.around(ctx, s.q, func() (err error) {
		rows, err = s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
		return err
	}, func() { _ = rows.Close() })
	return rows, err
}

// One lost connection, or two, at any statement of a batch, before it is sent or
// after it was executed, changes nothing about the end.
func TestBatchLostReplies(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		batchRig(r)
		verbs := map[string]int{}
		for _, lost := range []error{driver.ErrBadConn, errCut} {
			for _, after := range []bool{false, true} {
				for n := 1; r.batchSurvives(&strikeAt{nth: []int{n}, after: after, err: lost, verbs: verbs}); n++ {
				}
				for n := 1; r.batchSurvives(&strikeAt{nth: []int{n, n + 1}, after: after, err: lost, verbs: verbs}); n++ {
				}
			}
		}
		want := map[Dialect][]string{Postgres: {"claim_batch", "complete_batch"}, MySQL: {"claim_batch", "complete_batch", "completed_batch"}, SQLite: {"claim", "complete", "begin", "commit"}}
		for _, verb := range append(want[r.d.dialect], "release", "give_up") {
			for _, after := range []bool{false, true} {
				if verbs[fmt.Sprintf("%s %v", verb, after)] == 0 {
					t.Errorf("no fault fired at %s %v; at %v", verb, after, verbs)
				}
			}
		}
	})
}

func (r *rig) batchSurvives(f *strikeAt) bool {
	r.t.Helper()
	r.cases++
	key := func(n int) string { return fmt.Sprintf("batch %d key %d", r.cases, n) }
	act := byKey(map[string]Act{key(2): refusing, key(3): r.timingOut}, r.till.charge)
	r.run(r.guardOn(r.plain, lookupJob()), key(5))
	r.faults.set(f.strike)
	got := r.runBatch(r.guard(lookupJob()), act, deliveries(key(1), key(2), key(3), key(4), key(5))...)
	r.faults.set(nil)
	r.wantTold(got, "completed released given_up completed repeat")
	r.wantRecord(key(1), "state=completed completion=acted acts=1 late_finish_at=null vanished=0")
	r.wantRecord(key(2), "state=claimed acts=0 given_up=1")
	r.wantRecord(key(3), "state=claimed acts=1 given_up=1")
	r.wantRecord(key(4), "state=completed completion=acted acts=1 late_finish_at=null vanished=0")
	for n, want := range []int{1, 0, 1, 1, 1} {
		r.wantEffects(key(n+1), want)
	}
	return f.allFired()
}

// The database cannot be reached for good: before the claims nothing is acted, and
// before the completions each is left to the policy.
func TestBatchWithoutADatabase(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		batchRig(r)
		r.faults.set(func(string, int, bool) error { return errCut })
		began := time.Now()
		r.wantTold(r.runBatch(r.guard(holdJob()), r.till.charge, deliveries(ten...)...), strings.TrimSpace(strings.Repeat("error ", 10)))
		if took := time.Since(began); took > 2*claimPatience {
			t.Errorf("took %s", took)
		}
		if r.till.total() != 0 {
			t.Error("acted without a claim")
		}
		r.faults.set(nil)
		act := func(ctx context.Context, op *Operation) error {
			r.faults.set(func(string, int, bool) error { return errCut })
			return r.till.charge(ctx, op)
		}
		r.wantTold(r.runBatch(r.guard(holdJob()), act, deliveries("1", "2")...), "error error")
		r.faults.set(nil)
		for _, key := range []string{"1", "2"} {
			r.wantRecord(key, "state=claimed given_up=0")
			r.stale(key)
		}
		r.wantTold(r.runBatch(r.guard(holdJob()), r.till.charge, deliveries("1", "2")...), "held held")
		r.wantEffects("1", 1)
	})
}

// errRefused is a database's answer that will not change.
type errRefused struct{}

func (errRefused) Error() string    { return "read only" }
func (errRefused) SQLState() string { return "25006" }

// When a completion fails no further act begins, in its group or out of it. While
// one is on its way none begins either.
func TestBatchWithACompletionThatFails(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		batchRig(r)
		for _, group := range []string{"", "a"} {
			for name, c := range map[string]struct {
				err    error
				healed time.Duration
				want   string
			}{
				"refused":       {errRefused{}, 2 * time.Second, "error completed unacted unacted"},
				"gone":          {errCut, lease / 2, "completed completed completed completed"},
				"gone too long": {errCut, 2 * lease, "error error unacted unacted"},
			} {
				name += group
				var order []string
				var heal *time.Timer
				act := func(ctx context.Context, op *Operation) error {
					order = append(order, op.Key)
					switch op.Key {
					case name + "2":
						r.faults.set(func(verb string, _ int, _ bool) error {
							if strings.HasPrefix(verb, "complete") {
								return c.err
							}
							return nil
						})
						heal = time.AfterFunc(c.healed, func() { r.faults.set(nil) })
						time.Sleep(2*time.Second + 1)
					case name + "3":
						r.wantRecord(name+"1", "state=completed")
					}
					return r.till.charge(ctx, op)
				}
				got := r.runBatch(r.guard(holdJob()), act, grouped(group, name+"1", name+"2", name+"3", name+"4")...)
				heal.Stop()
				r.faults.set(nil)
				r.wantTold(got, c.want)
				for n, want := range strings.Fields(c.want) {
					if want == "unacted" {
						r.wantRecord(name+fmt.Sprint(n+1), "state=claimed acts=0 given_up=1")
						r.wantEffects(name+fmt.Sprint(n+1), 0)
					}
				}
				if want := c.want == "completed completed completed completed"; want != (len(order) == 4) {
					t.Errorf("%s: acted %v", name, order)
				}
				if three, four := slices.Index(got.order, 2), slices.Index(got.order, 3); strings.Contains(c.want, "unacted") && four > three {
					t.Errorf("%s: told in the order %v", name, got.order)
				}
			}
		}
	})
}

// A completion is stored before the deadline of its act, whatever the next one does.
func TestBatchCompletesBeforeTheDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		until := func(op *Operation, left time.Duration) { time.Sleep(time.Until(op.Deadline()) - left) }
		var end time.Time // of those that do not renew
		act := byKey(map[string]Act{
			"late 1": func(_ context.Context, op *Operation) error {
				until(op, 300*time.Millisecond)
				return nil
			},
			"late 2": func(_ context.Context, op *Operation) error {
				until(op, time.Millisecond)
				r.wantRecord("late 1", "state=completed")
				time.Sleep(10 * lease)
				return nil
			},
			"early 1": func(ctx context.Context, op *Operation) error {
				end = op.Deadline()
				until(op, 500*time.Millisecond)
				return op.Renew(ctx)
			},
			"early 3": func(context.Context, *Operation) error {
				time.Sleep(time.Until(end) - time.Millisecond)
				r.wantRecord("early 1", "state=completed")
				r.wantRecord("early 2", "state=completed")
				return nil
			},
		}, nothing)
		r.wantTold(r.runBatch(r.guard(holdJob()), act, deliveries("late 1", "late 2")...), "completed completed")
		r.wantTold(r.runBatch(r.guard(holdJob()), act, deliveries("early 1", "early 2", "early 3")...), "completed completed completed")
	})
}

// One that the database refuses does not keep the others from their claim, nor from
// their completion.
func TestBatchWithOneThatIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, column := range []string{"message", "result"} {
			if r.d.dialect != SQLite {
				r.exec(fmt.Sprintf("ALTER TABLE %s ADD CHECK (%s <> %s)", r.table, column, map[Dialect]string{Postgres: "'bad'::bytea", MySQL: "'bad'"}[r.d.dialect]))
			} else {
				for _, on := range []string{"INSERT", "UPDATE"} {
					r.exec(fmt.Sprintf("CREATE TRIGGER bad_%s_%s BEFORE %s ON %s WHEN CAST(new.%s AS TEXT) = 'bad' BEGIN SELECT raise(ABORT, 'bad'); END",
						column, on, on, r.table, column))
				}
			}
		}
		badMessage := delivery("2")
		badMessage.Message = []byte("bad")
		act := byKey(map[string]Act{"4": func(ctx context.Context, op *Operation) error {
			op.SetResult([]byte("bad"))
			return r.till.charge(ctx, op)
		}}, r.till.charge)
		got := r.runBatch(r.guard(holdJob()), act, delivery("1"), badMessage, delivery("3"), delivery("4"), delivery("5"))
		r.wantTold(got, "completed error completed error completed")
		for n, want := range []int{1, 0, 1, 1, 1} {
			r.wantEffects(fmt.Sprint(n+1), want)
		}
		r.wantRecord("4", "state=claimed acts=1")
		r.wantRecord("5", "state=completed")
	})
}

func TestBatchRefusedAndCancelled(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		own := holdJob()
		own.Effect.Kind, own.Stale = job.OwnRow, job.Stale{}
		r.wantTold(r.runBatch(r.guard(own), r.till.charge, deliveries("1", "2")...), "error error")
		ctx, cancel := context.WithCancel(context.Background())
		got := &told{by: map[int]Ended{}}
		r.guard(holdJob()).RunBatch(ctx, deliveries("1", "2", "3"), func(ctx context.Context, op *Operation) error {
			cancel()
			return r.till.charge(ctx, op)
		}, got.done)
		r.wantTold(got, "completed unacted unacted")
		r.wantRecord("3", "state=claimed acts=0")
		got = &told{by: map[int]Ended{}}
		r.guard(holdJob()).RunBatch(ctx, deliveries("4", "5"), r.till.charge, got.done)
		r.wantTold(got, "error error")
		if !errors.Is(got.by[0].Failure, context.Canceled) || r.till.total() != 1 || r.rows() != 3 {
			t.Errorf("%+v, %d effects, %d records", got.by[0], r.till.total(), r.rows())
		}
		if none := r.runBatch(r.guard(holdJob()), nil); len(none.order) != 0 {
			t.Error(none.order)
		}
	})
}

// The claim of one is lost while others of its batch act: its completion writes
// only that, and theirs are not touched by it.
func TestBatchLostClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		act := byKey(map[string]Act{"3": func(ctx context.Context, op *Operation) error {
			r.stale("1")
			r.run(r.guardOn(r.plain, lookupJob()), "1") // finds the effect
			return r.till.charge(ctx, op)
		}}, r.till.charge)
		got := r.runBatch(r.guard(lookupJob()), act, deliveries("1", "2", "3")...)
		r.wantTold(got, "lost completed completed")
		if !got.by[0].Acknowledge() {
			t.Errorf("%+v", got.by[0])
		}
		r.wantRecord("1", "state=completed completion=found late_finish_at=set")
		r.wantRecord("2", "state=completed completion=acted late_finish_at=null")
		r.wantEffects("1", 1)
	})
}

// Batches of the same operations in any order meet: each is acted once, and nobody
// is locked out for good.
func TestBatchesMeet(t *testing.T) {
	crews(t, func(t *testing.T, r *rig, crew []*sql.DB) {
		contended := 0
		for round := range 24 {
			crew, name := crew[:2+round%3*3], fmt.Sprint("round ", round)
			var keys []string
			for n := range 10 {
				keys = append(keys, fmt.Sprint(name, " key ", n))
			}
			var workers sync.WaitGroup
			results := make([]*told, len(crew))
			start := make(chan struct{})
			for i, db := range crew {
				batch := deliveries(keys...)
				rand.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
				results[i] = &told{by: map[int]Ended{}}
				workers.Go(func() {
					<-start
					r.guardOn(db, holdJob()).RunBatch(context.Background(), batch[:5+i%6], r.till.charge, results[i].done)
				})
			}
			close(start)
			workers.Wait()
			for _, got := range results {
				for _, e := range got.by {
					if e.Failure != nil || e.Outcome != Completed && e.Outcome != Live {
						t.Errorf("%s: %+v", name, e)
					}
					if e.Outcome == Live || e.Repeat {
						contended++
					}
				}
			}
			for _, key := range keys {
				if n := r.till.count(key); n > 1 || n == 1 && r.column(key, "state") != "completed" {
					t.Errorf("%s: %d effects", key, n)
				}
			}
		}
		if contended == 0 {
			t.Error("the batches never met")
		}
	})
}
