package twiceproof

import (
	"context"
	"fmt"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// The database goes away at any statement and stays away for the rest of the
// delivery; later it is back and the message is delivered until its operation is done or held.
func TestDatabaseGone(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, s := range scenarios(r) {
			for _, after := range []bool{false, true} {
				for n := 1; s.recovers(r, &strikeAt{nth: []int{n}, after: after, err: errCut, rest: true, verbs: map[string]int{}}); n++ {
				}
			}
		}
	})
}

func (s scenario) recovers(r *rig, f *strikeAt) bool {
	r.t.Helper()
	r.cases++
	key := fmt.Sprintf("%s gone at %d after=%v %d", s.name, f.nth[0], f.after, r.cases)
	s.before(r, key)
	r.faults.set(f.strike)
	res, err := r.guard(s.job).Run(context.Background(), delivery(key), s.acting(r))
	r.faults.set(nil)
	if !f.allFired() {
		return false
	}
	if err == nil && res.Acknowledge() || res.Outcome == Completed {
		r.t.Errorf("%s: %+v, %v while the database was away", key, res, err)
	}
	for range 4 {
		if r.exists(key) {
			r.age(key, 2*(lease+settle))
		}
		if res = r.run(r.guard(s.job), key); res.Acknowledge() {
			break
		}
	}
	r.wantOutcome(res, res.Outcome, true)
	r.wantEnd(s, key)
	return true
}

func (r *rig) wantEnd(s scenario, key string) {
	r.t.Helper()
	state, effects := r.column(key, "state"), r.till.count(key)
	right := state == stateCompleted && effects == max(1, s.effects)
	if s.job.Stale.Policy == job.Hold {
		right = right || state == stateHeld && effects <= 1
	}
	switch s.job.Stale.Policy {
	case job.Resend: // all with one reference, so they are one to the service
		right = state == stateCompleted && effects >= 1
	case job.AcceptDuplicate:
		right = effects >= 1 && effects <= 2
	case job.AcceptMiss:
		right = state == stateCompleted && effects <= 1
	}
	if s.name == "late" { // its own effect may come after the other's, or not at all
		right = state == stateCompleted && effects >= 1 && effects <= 2
	}
	if !right {
		r.t.Errorf("%s: %s with %d effects", key, state, effects)
	}
}

func (r *rig) exists(key string) bool { return r.whole(key) != "" }
