package twiceproof

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func TestLive(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range []job.Job{holdJob(), lookupJob()} {
			g, key := r.guard(j), string(j.Stale.Policy)
			r.vanish(g, key, true)
			r.age(key, 20*time.Second)
			before := r.whole(key)
			res := r.run(g, key)
			r.wantOutcome(res, Live, false)
			rest := j.StoredLease() - 20*time.Second
			if res.RetryAfter > rest || res.RetryAfter < rest-10*time.Second {
				t.Errorf("retry after %s, want about %s", res.RetryAfter, rest)
			}
			if after := r.whole(key); after != before {
				t.Errorf("a live claim was changed:\n%s\n%s", before, after)
			}
			r.wantEffects(key, 1)
		}
	})
}

// The database that judges the lease counts whole milliseconds, and the two
// readings of one lease agree at its end: what looks stale can be taken.
func TestLeaseEnd(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range []job.Job{holdJob(), lookupJob()} {
			g, key := r.guard(j), string(j.Stale.Policy)
			r.vanish(g, key, true)
			r.age(key, j.StoredLease())
			r.wantOutcome(r.run(g, key), map[job.Policy]Outcome{job.Hold: Held, job.Lookup: Completed}[j.Stale.Policy], true)
			r.wantEffects(key, 1)
		}
	})
}

func TestHeld(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		r.vanish(g, "k", false)
		token := r.token("k")
		r.stale("k")
		r.wantOutcome(r.run(g, "k"), Held, true)
		r.wantRecord("k", "state=held hold_reason=worker_vanished held_at=set message=set acts=1 completed_at=null")
		if r.token("k") != token {
			t.Error("a hold replaced the token")
		}
		before := r.whole("k")
		for range 3 {
			res := r.run(g, "k")
			r.wantOutcome(res, Held, true)
			if res.RetryAfter != 0 || res.Repeat {
				t.Errorf("%+v", res)
			}
		}
		r.wantOutcome(r.run(r.guard(lookupJob()), "k"), Held, true) // only a person ends it
		if after := r.whole("k"); after != before {
			t.Errorf("a held record was changed:\n%s\n%s", before, after)
		}
		r.wantEffects("k", 0)
	})
}
