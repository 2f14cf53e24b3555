package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// mixed are the jobs of the races: what their stale claims lead to differs.
func mixed() []job.Job { return []job.Job{holdJob(), lookupJob(), withPolicy(job.AcceptMiss)} }

// sweepTogether lets several sweeps start at once, each over a connection of its own,
// and gives what each key got.
func (r *rig) sweepTogether(n int, j job.Job, queue *pushes, spoil func(*Sweeper)) (actions map[string]int, moved int) {
	r.t.Helper()
	actions = map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	start := make(chan struct{})
	for range n {
		s, err := NewSweeper(r.plain, r.d.dialect, j, r.table)
		if err != nil {
			r.t.Fatal(err)
		}
		if spoil != nil {
			spoil(s)
		}
		all.Go(func() {
			<-start
			report, swept, err := collect(context.Background(), s, applying(queue))
			mu.Lock()
			defer mu.Unlock()
			moved += report.Moved
			for _, a := range swept {
				actions[a.Key]++
				err = errors.Join(err, a.Err)
			}
			if err != nil {
				r.t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
	return actions, moved
}

// vanishMany makes n stale claims with one statement.
func (r *rig) vanishMany(j job.Job, prefix string, n int) {
	r.t.Helper()
	numbers, message, fresh, past := "generate_series(1, %d) AS n", "convert_to('{\"order\":\"' || '%s' || n || '\"}', 'UTF8')", "gen_random_uuid()", "statement_timestamp() - interval '1 hour'"
	key := "'%s' || n"
	switch r.d.dialect {
	case MySQL:
		key = "CONCAT('%s', n)"
		numbers, message = "(SELECT seq AS n FROM seq_1_to_%d) AS numbers", "CONCAT('{\"order\":\"', '%s', n, '\"}')"
		fresh, past = "LOWER(HEX(RANDOM_BYTES(16)))", r.ago(time.Hour)
	case SQLite:
		numbers, message = "(WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s)", "CAST('{\"order\":\"' || '%s' || n || '\"}' AS BLOB)"
		fresh, past = "lower(hex(randomblob(16)))", "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - 3600000"
	}
	r.exec(fmt.Sprintf("INSERT INTO %s (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, policy, message) "+
		"SELECT '%s', "+key+", 'claimed', %s, %s, %d, %s, '%s', "+message+" FROM "+numbers,
		r.table, j.Type, prefix, fresh, past, j.StoredLease().Milliseconds(), past, j.Stale.Policy, prefix, n))
}

// Two sweeps at once, or four, and many times: one action a row.
func TestSweepsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		met := 0
		for round := range 24 {
			j, queue := mixed()[round%3], &pushes{}
			const n = 20
			r.vanishMany(j, "k", n)
			actions, moved := r.sweepTogether(2+2*(round%2), j, queue, nil)
			met += moved
			if len(actions) != n {
				t.Errorf("%d of %d handled", len(actions), n)
			}
			for key, times := range actions {
				if times != 1 || queue.count(key) != map[bool]int{true: 1}[j.Stale.Policy == job.Lookup] {
					t.Errorf("%s under %s: %d actions, put back %d times", key, j.Stale.Policy, times, queue.count(key))
				}
			}
			r.exec("DELETE FROM " + r.table)
		}
		if met == 0 {
			t.Error("the sweeps never met")
		}
	})
}

// The control: a mark that does not look at the last one is made twice.
func TestSweepsAtOnceControl(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for range 200 {
			queue, twice := &pushes{}, false
			r.vanishMany(lookupJob(), "k", 20)
			actions, _ := r.sweepTogether(2, lookupJob(), queue, func(s *Sweeper) {
				text := s.records.sql.Requeue
				s.records.sql.Requeue = strings.NewReplacer("requeues = $5::integer", "$5::integer >= 0", "requeues = ?5", "?5 >= 0").Replace(text)
				if s.records.sql.Requeue == text {
					t.Fatal("nothing was spoilt")
				}
			})
			for key := range actions {
				twice = twice || queue.count(key) > 1
			}
			r.exec("DELETE FROM " + r.table)
			if twice {
				return
			}
		}
		t.Error("was never seen to put back twice")
	})
}

// errKilled is an end of the process: nothing is sent again.
type errKilled struct{}

func (errKilled) Error() string    { return "killed" }
func (errKilled) SQLState() string { return "XX000" }

// A sweep that is killed at any statement, or at any push, before it or after it, is
// taken up by the next one. What was marked and not pushed waits for a lease.
func TestSweepKilledAnywhere(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range mixed() {
			for _, after := range []bool{false, true} {
				for n := 1; ; n++ {
					if !r.killSweep(j, n, after) {
						if n < 5 {
							t.Errorf("only %d places", n)
						}
						break
					}
				}
			}
		}
	})
}

// killSweep kills at the n-th step; false when there are fewer.
func (r *rig) killSweep(j job.Job, n int, after bool) bool {
	r.t.Helper()
	const rows = 3
	r.vanishMany(j, "k", rows)
	defer r.exec("DELETE FROM " + r.table)
	s, queue, steps, dead := r.sweeper(j), &pushes{}, 0, false
	step := func(isAfter bool) error {
		if dead {
			return errKilled{}
		}
		if !isAfter {
			steps++
		}
		if dead = steps == n && isAfter == after; dead {
			return errKilled{}
		}
		return nil
	}
	r.faults.set(func(_ string, _ int, isAfter bool) error { return step(isAfter) })
	o := applying(queue)
	o.PutBack = func(ctx context.Context, message []byte) error {
		if err := step(false); err != nil {
			return err
		}
		return errors.Join(queue.putBack(ctx, message), step(true))
	}
	_, _, err := collect(context.Background(), s, o)
	r.faults.set(nil)
	where := fmt.Sprintf("%s, step %d, after %v", j.Stale.Policy, n, after)
	if dead && err == nil && steps < 3*rows { // the last push may be the last step of all
		r.t.Errorf("%s: the end was not told", where)
	}
	// The next one, at once, then another a lease later.
	next, _ := r.swept(s, applying(queue))
	for i := range rows {
		if key := fmt.Sprint("k", i+1); r.column(key, "requeues") == "1" && queue.count(key) == 0 {
			r.requeuedAgo(key, lease)
		}
	}
	last, _ := r.swept(s, applying(queue))
	for i := range rows {
		key := fmt.Sprint("k", i+1)
		switch j.Stale.Policy {
		case job.Lookup:
			if queue.count(key) != 1 {
				r.t.Errorf("%s: %s was put back %d times", where, key, queue.count(key))
			}
		case job.Hold:
			r.wantRecord(key, "state=held requeues=0")
		default:
			r.wantRecord(key, "completion=assumed requeues=0")
		}
	}
	if next.Failed+next.Moved+last.Failed+last.Moved+last.Held+last.Assumed > 0 || last.PutBack > 1 {
		r.t.Errorf("%s: %+v, then %+v", where, next, last)
	}
	return dead
}

// A cancelled context stops between two rows, never within one.
func TestSweepCancelled(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		const n = 6
		for _, j := range mixed() {
			for stop := range n {
				r.vanishMany(j, "k", n)
				ctx, cancel := context.WithCancel(context.Background())
				s, queue, seen := r.sweeper(j), &pushes{}, 0
				o := applying(queue)
				push := o.PutBack
				o.PutBack = func(within context.Context, message []byte) error {
					if seen == stop {
						cancel() // in the middle of a row
					}
					return errors.Join(within.Err(), push(within, message))
				}
				o.Each = func(Swept) {
					if seen++; seen == stop+1 {
						cancel()
					}
				}
				report, all, err := collect(ctx, s, o)
				if !errors.Is(err, context.Canceled) || len(all) != stop+1 || report.Failed > 0 {
					t.Errorf("stopped after %d: %+v, %v", stop+1, report, err)
				}
				if _, rest := r.swept(s, applying(queue)); len(rest) != n-stop-1 {
					t.Errorf("%d were left", len(rest))
				}
				r.exec("DELETE FROM " + r.table)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r.vanishMany(holdJob(), "k", 1)
		if report, err := r.sweeper(holdJob()).Sweep(ctx, SweepOptions{}); report != (SweepReport{}) || !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", report, err)
		}
	})
}

// A delivery of the same operation comes in the middle of a sweep's every step.
func TestDeliveryWithinASweep(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			for _, verb := range []string{"stale", "message", "requeue", "hold", "assume"} {
				for _, after := range []bool{false, true} {
					key := fmt.Sprint(verb, after)
					own := r.guardOn(r.plain, j)
					r.vanish(own, key, false)
					r.stale(key)
					s, queue := r.sweeper(j), &pushes{}
					r.faults.set(func(v string, nth int, a bool) error {
						if v == verb && nth == 1 && a == after {
							r.run(own, key)
						}
						return nil
					})
					r.swept(s, applying(queue))
					r.faults.set(nil)
					if queue.count(key) > 0 {
						r.run(own, key)
					}
					wants := map[job.Policy]string{job.Hold: "state=held", job.AcceptMiss: "completion=assumed"}
					if wants[j.Stale.Policy] == "" {
						wants[j.Stale.Policy] = "completion=acted late_finish_at=null vanished=1"
						r.wantCharged(key)
					}
					r.wantRecord(key, wants[j.Stale.Policy])
					r.exec("DELETE FROM " + r.table)
				}
			}
		}
	})
}

// wantCharged: once; then the till forgets it, for the next round has the same key.
func (r *rig) wantCharged(key string) {
	r.t.Helper()
	r.wantEffects(key, 1)
	r.till.mu.Lock()
	defer r.till.mu.Unlock()
	clear(r.till.charges)
}

// Deliveries and sweeps at once, and many times: one effect, and one end.
func TestSweepAndDeliveries(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for round := range 30 {
			for _, j := range []job.Job{lookupJob(), holdJob()} {
				key := fmt.Sprint(j.Stale.Policy, round)
				r.vanish(r.guardOn(r.plain, j), key, round%2 == 0)
				r.stale(key)
				queue := &pushes{}
				var all sync.WaitGroup
				for range 3 {
					g := r.guardOn(r.plain, j)
					all.Go(func() { r.run(g, key) })
				}
				all.Go(func() { r.sweepTogether(2, j, queue, nil) })
				all.Wait()
				for range queue.count(key) {
					r.run(r.guardOn(r.plain, j), key)
				}
				if j.Stale.Policy == job.Hold {
					r.wantRecord(key, "state=held requeues=0 acts=1")
					r.wantEffects(key, map[bool]int{true: 1}[round%2 == 0])
					continue
				}
				r.wantRecord(key, "state=completed late_finish_at=null")
				r.wantEffects(key, 1)
			}
		}
	})
}

// 12,000 stale claims: 10,000 of a job on hold come first in the table, and before a
// job's own stale ones 3,000 wait for what was put back. Each gets its own policy.
func TestSweepStarvesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		held, looked, again := holdJob(), lookupJob(), withPolicy(job.AcceptDuplicate)
		held.Type, looked.Type, again.Type = "a held job", "b looked up", "c made again"
		again.Lease *= 2
		r.vanishMany(held, "k", 10_000)
		r.vanishMany(looked, "k", 1_000)
		r.vanishMany(looked, "a waiting", 3_000)
		r.vanishMany(looked, "0 done", 2_500) // whole pages without a stale one
		r.exec("UPDATE " + r.table + " SET state = 'completed', completed_at = claimed_at, completion = 'acted' WHERE operation_key LIKE '0 done%'")
		now := r.ago(0)
		r.exec("UPDATE " + r.table + " SET requeues = 1, requeued_at = " + now + " WHERE operation_key LIKE 'a waiting%'")
		r.vanishMany(again, "k", 1_000)
		for _, c := range []struct {
			job  job.Job
			want SweepReport
		}{
			{again, SweepReport{PutBack: 1_000}}, {looked, SweepReport{PutBack: 1_000, Waiting: 3_000}}, {held, SweepReport{Held: 10_000}},
			{again, SweepReport{Waiting: 1_000}}, {looked, SweepReport{Waiting: 4_000}}, {held, SweepReport{}},
		} {
			queue := &pushes{}
			report, all := r.swept(r.sweeper(c.job), applying(queue))
			if report != c.want || len(queue.of) != c.want.PutBack || len(all) != c.want.PutBack+c.want.Held {
				t.Errorf("%s: %+v, want %+v; %d put back", c.job.Type, report, c.want, len(queue.of))
			}
		}
	})
}
