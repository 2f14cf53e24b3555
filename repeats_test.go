package twiceproof

import (
	"context"
	"sync"
	"testing"
	"time"
)

// awaitCount returns when no repeat is being counted.
func (g *Guard) awaitCount() {
	for !g.counting.TryLock() { // not Lock, in which a bubble's clock stands still
		time.Sleep(time.Millisecond)
	}
	g.counting.Unlock()
}

// At most once a second for each record, by the database's clock, and then not even
// a statement is sent.
func TestRepeatsAreCounted(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		own, outside := r.guard(ownRowJob()), r.guard(holdJob())
		r.run(outside, "k")
		r.runTx(own, "tx")
		r.wantRecord("k", "repeats=0 last_repeat_at=null")
		for key, g := range map[string]*Guard{"k": outside, "tx": own} {
			deliver := r.run
			if g == own {
				deliver = r.runTx
			}
			r.faults.set(nil)
			for range 20 {
				deliver(g, key)
				g.awaitCount()
			}
			if n := r.faults.timesSent("repeat"); r.column(key, "repeats") == "0" || n > 5 {
				t.Errorf("%s: counted by %d statements", key, n)
			}
			r.set(key, "repeats = 7, last_repeat_at = "+r.ago(1001*time.Millisecond))
			deliver(g, key)
			g.awaitCount()
			r.wantRecord(key, "repeats=8 last_repeat_at=set")
		}
	})
}

// A record that is not completed has no repeats, and one that was counted less than
// a second ago is left alone, however many ask.
func TestRepeatStatement(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		r.vanish(g, "claimed", false)
		r.vanish(g, "held", false)
		r.stale("held")
		r.run(g, "held")
		r.run(g, "k")
		for _, key := range []string{"claimed", "held", "k", "nothing"} {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					if err := g.records.repeat(context.Background(), key); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		r.wantRecord("claimed", "repeats=0 last_repeat_at=null")
		r.wantRecord("held", "repeats=0 last_repeat_at=null")
		r.wantRecord("k", "repeats=1 last_repeat_at=set")
	})
}

// The count is lost or stuck: the delivery has long had its answer, one goroutine at
// most is left behind, and it ends (or the bubble would not).
func TestCountingNeverDelays(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, fault := range []error{errCut, errSilent} {
			g, key := r.guard(holdJob()), fault.Error()
			r.run(g, key)
			r.faults.set(func(verb string, _ int, after bool) error {
				if verb == "repeat" && !after {
					return fault
				}
				return nil
			})
			began := time.Now()
			for range 50 {
				res := r.run(g, key)
				r.wantOutcome(res, Completed, true)
			}
			if fault == errSilent && (time.Since(began) != 0 || r.faults.timesSent("repeat") > 1) {
				t.Errorf("%s, sent %d times", time.Since(began), r.faults.timesSent("repeat"))
			}
			g.awaitCount()
			if time.Since(began) > tryPatience+time.Second {
				t.Errorf("still counting after %s", time.Since(began))
			}
			r.faults.set(nil)
			r.wantRecord(key, "repeats=0")
		}
	})
}

// Somebody has the record locked: PostgreSQL does not wait for it. (In SQLite
// whoever writes has the whole database.)
func TestCountingDoesNotWait(t *testing.T) {
	r := newRig(t, databaseOf(Postgres))
	g := r.guard(holdJob())
	r.run(g, "k")
	tx := lockPostgres(t, r)
	defer func() { _ = tx.Rollback() }()
	if err := g.records.repeat(context.Background(), "k"); err != nil {
		t.Error(err)
	}
	r.wantRecord("k", "repeats=0")
}

// With one connection in all, the next delivery needs it more than the count does.
func TestCountingLeavesTheLastConnection(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.db.SetMaxOpenConns(1)
		g := r.guard(holdJob())
		for range 10 {
			r.run(g, "k")
		}
		g.awaitCount()
		if n := r.faults.timesSent("repeat"); n != 0 {
			t.Errorf("counted %d times", n)
		}
	})
}
