package twiceproof

import "testing"

// Others take the claim again and again. When the last of our takeovers succeeded
// and only its reply was lost, the claim is ours, and not left to go stale.
func TestLastTakeover(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		other := r.guardOn(r.plain, lookupJob())
		r.vanish(other, "k", false)
		r.stale("k")
		r.faults.set(func(verb string, nth int, after bool) error {
			switch {
			case verb == "take_over" && nth < claimRounds && !after:
				r.vanish(other, "k", false)
				r.stale("k")
			case verb == "take_over" && nth == claimRounds && after:
				return errCut
			}
			return nil
		})
		r.wantOutcome(r.run(r.guard(lookupJob()), "k"), Completed, true)
		if r.faults.count() != 1 || r.till.lookUps() != 1 {
			t.Errorf("%d faults, %d look-ups", r.faults.count(), r.till.lookUps())
		}
		r.wantRecord("k", "completion=acted acts=2 vanished=5")
		r.wantEffects("k", 1)
	})
}

// When nobody lets us have it, it is somebody else's.
func TestTakeoversNeverWon(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		j := lookupJob()
		j.Stale.MaxTakeovers = 100
		other := r.guardOn(r.plain, j)
		r.vanish(other, "k", false)
		r.stale("k")
		r.faults.set(func(verb string, _ int, after bool) error {
			if verb == "take_over" && !after {
				r.vanish(other, "k", false)
				r.stale("k")
			}
			return nil
		})
		res := r.run(r.guard(j), "k")
		r.wantOutcome(res, Live, false)
		if res.RetryAfter <= 0 || r.till.total() != 0 {
			t.Errorf("%+v, %d effects", res, r.till.total())
		}
	})
}
