package twiceproof

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"
)

// strikeAt cuts the connection at those statements of a delivery, counted from 1.
type strikeAt struct {
	mu    sync.Mutex
	nth   []int
	after bool
	err   error
	rest  bool // and at every one that follows the last
	sent  int
	fired int
	verbs map[string]int // shared by the cases: where it fired
}

func (s *strikeAt) strike(verb string, _ int, after bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if verb == "repeat" { // off the path, so not at a fixed place on it
		return nil
	}
	if !after {
		s.sent++
	}
	hit := slices.Contains(s.nth, s.sent) || s.rest && s.sent > s.nth[len(s.nth)-1]
	if !hit || after != s.after {
		return nil
	}
	s.fired++
	s.verbs[fmt.Sprintf("%s %v", verb, after)]++
	return s.err
}

// allFired: a case whose fault did not fire proves nothing.
func (s *strikeAt) allFired() bool { return s.fired >= len(s.nth) }

// One lost connection, or two, at any statement, before it is sent or after it
// was executed, changes nothing about the end: same outcome, record and effects.
func TestLostReplies(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		verbs := map[string]int{}
		for _, s := range scenarios(r) {
			reach := 100               // every pair
			if r.d.dialect == SQLite { // its driver takes long under the race detector
				reach = min(2, 2*s.looked)
			}
			for _, after := range []bool{false, true} {
				for n := 1; s.survives(r, &strikeAt{nth: []int{n}, after: after, err: driver.ErrBadConn, verbs: verbs}); n++ {
				}
				for n := 1; s.survives(r, &strikeAt{nth: []int{n}, after: after, err: errCut, verbs: verbs}); n++ {
					for m := n + 1; m <= n+reach && s.survives(r, &strikeAt{nth: []int{n, m}, after: after, err: errCut, verbs: verbs}); m++ {
					}
				}
			}
		}
		t.Logf("%d cases", r.cases)
		for _, verb := range verbsOf(statements(r.d.dialect, "")) {
			for _, after := range []bool{false, true} {
				if at := fmt.Sprintf("%s %v", verb, after); verbs[at] == 0 {
					t.Errorf("no fault fired at %s; at %v", at, slices.Sorted(maps.Keys(verbs)))
				}
			}
		}
	})
}

// survives runs the scenario with the faults, and is false when one did not fire.
func (s scenario) survives(r *rig, f *strikeAt) bool {
	r.t.Helper()
	r.cases++
	key := fmt.Sprintf("%s %v after=%v %v %d", s.name, f.nth, f.after, f.err, r.cases)
	s.before(r, key)
	effects, looked := r.till.count(key), r.till.lookUps()
	r.faults.set(f.strike)
	res, err := r.guard(s.job).Run(context.Background(), delivery(key), s.acting(r))
	r.faults.set(nil)
	if err != nil {
		r.t.Errorf("%s: %v", key, err)
		return f.allFired()
	}
	if res.Outcome != s.want {
		r.t.Errorf("%s: %+v, want %s", key, res, s.want)
	}
	r.wantRecord(key, s.record)
	r.wantEffects(key, s.effects)
	if got := r.till.lookUps() - looked; got != s.looked {
		r.t.Errorf("%s: %d look-ups, want %d (effects before: %d)", key, got, s.looked, effects)
	}
	return f.allFired()
}

func (s scenario) acting(r *rig) Act {
	if s.act == nil {
		return r.till.charge
	}
	return s.act
}

// A statement to a peer that says nothing any more, as on a connection that was
// dropped on the way during a long act, is sent again on another one.
func TestSilentConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, verb := range []string{"complete", "act_again"} {
			for _, after := range []bool{false, true} {
				key := fmt.Sprint(verb, after)
				r.vanish(r.guard(lookupJob()), key, false)
				r.stale(key)
				r.faults.cut(verb, 1, after, errSilent)
				began := time.Now()
				r.wantOutcome(r.run(r.guard(lookupJob()), key), Completed, true)
				if took := time.Since(began); took > lease/2 {
					t.Errorf("%s: took %s", key, took)
				}
				if r.faults.count() != 1 {
					t.Errorf("%s: the fault fired %d times", key, r.faults.count())
				}
				r.faults.set(nil)
				r.wantEffects(key, 1)
				r.wantRecord(key, "acts=2 late_finish_at=null")
			}
		}
	})
}

// The same claim sent again gets the same answer, and not even a fresh lease.
func TestOwnClaimAgain(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		c, err := g.prepare(delivery("k"))
		if err != nil {
			t.Fatal(err)
		}
		first, err := g.claim(context.Background(), c, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		before := r.whole("k")
		for _, by := range []time.Duration{0, 2 * lease} {
			r.age("k", by)
			aged := r.whole("k")
			again, err := g.claim(context.Background(), c, time.Now())
			if err != nil || again.next != first.next || again.takeover || r.whole("k") != aged {
				t.Errorf("%+v, %v, want %+v\n%s\n%s", again, err, first, aged, r.whole("k"))
			}
		}
		if before == "" || r.rows() != 1 {
			t.Error("no record, or several")
		}
	})
}
