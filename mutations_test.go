package twiceproof

import (
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// mutation is one way of being wrong, and where it shows.
type mutation struct {
	name   string
	policy job.Policy
	scope  scope
	make   func(*model)
}

var (
	alone     = scope{workers: 2, faults: 1, lease: 1}
	unlucky   = scope{workers: 2, faults: 2, lease: 1}
	swept     = scope{workers: 1, faults: 1, lease: 1, sweeps: true}
	byPersons = scope{workers: 2, persons: 2, faults: 1, lease: 1}
)

// shows makes the statement show another record, or other parameters.
func shows(do verbName, change func(r *rec, v *verb)) func(*model) {
	return leaves(do, func(rec) bool { return true }, change, func(rec, *rec) {})
}

// writesAlso changes what the statement leaves.
func writesAlso(do verbName, change func(before rec, after *rec)) func(*model) {
	return leaves(do, func(rec) bool { return true }, func(*rec, *verb) {}, change)
}

func leaves(do verbName, when func(rec) bool, first func(*rec, *verb), then func(rec, *rec)) func(*model) {
	return func(m *model) {
		right := m.apply
		m.apply = func(before rec, v verb) (rec, bool) {
			if v.do != do || !when(before) {
				return right(before, v)
			}
			shown := before
			first(&shown, &v)
			after, matched := right(shown, v)
			if !matched {
				return before, false
			}
			then(before, &after)
			return after, true
		}
	}
}

func decides(wrongly func(r record, d decision) decision) func(*model) {
	return func(m *model) {
		right := m.decide
		m.decide = func(r record, token string, print job.Fingerprint, j job.Job) decision {
			return wrongly(r, right(r, token, print, j))
		}
	}
}

var mutations = []mutation{
	{"complete shows no token", job.Lookup, alone, shows(vComplete, func(r *rec, v *verb) { v.token = r.token })},
	{"the takeover budget starts anew with each takeover", job.Lookup, scope{workers: 2, faults: 3, lease: 1}, writesAlso(vTakeOver, func(b rec, r *rec) {
		r.vanished -= b.vanished
	})},
	{"in doubt the claim is released", job.Hold, alone, func(m *model) { m.wrong.releasesInDoubt = true }},
	{"release keeps its token", job.AcceptDuplicate, unlucky, writesAlso(vRelease, func(b rec, r *rec) { r.token = b.token })},
	{"release forgets an earlier attempt", job.Lookup, alone, writesAlso(vRelease, func(b rec, r *rec) { r.acts = 0 })},
	{"hold acts", job.Hold, alone, decides(func(r record, d decision) decision {
		if d.next == nextHold {
			d.next = nextTakeOver
		}
		return d
	})},
	{"a completed record is held", job.Hold, alone, func(m *model) {
		shows(vHold, func(r *rec, v *verb) { r.state, r.acts, r.lease = isClaimed, v.acts, 0 })(m)
	}},
	{"a live claim is acknowledged", job.Hold, alone, func(m *model) { m.wrong.acksLive = true }},
	{"the lease is judged a tick early", job.Resend, alone, func(m *model) {
		shows(vTakeOver, func(r *rec, _ *verb) { r.lease-- })(m)
		right := m.decide
		m.decide = func(r record, token string, print job.Fingerprint, j job.Job) decision {
			r.staleFor += modelTick
			return right(r, token, print, j)
		}
	}},
	{"the settle time is not in the stored lease", job.Lookup, alone, func(m *model) {
		m.apply = func(r rec, v verb) (rec, bool) {
			if v.do == vClaim || v.do == vTakeOver {
				v.lease -= m.settle
			}
			return apply(r, v)
		}
	}},
	{"a further attempt is not counted", job.AcceptDuplicate, unlucky, func(m *model) { m.wrong.countsNoFurther = true }},
	{"a look-up's error is taken as absent", job.Lookup, unlucky, func(m *model) { m.wrong.errorIsAbsent = true }},
	{"the doubt is forgotten when the reply to the takeover is lost", job.Lookup, unlucky, func(m *model) { m.wrong.forgetsDoubt = true }},
	{"the sweep pushes without a mark", job.Resend, swept, func(m *model) { m.wrong.marksNot = true }},
	{"a person's decision shows no hold", job.Hold, byPersons, func(m *model) {
		shows(vResolve, func(r *rec, v *verb) { v.hold = r.hold })(m)
		shows(vRunAgain, func(r *rec, v *verb) { v.hold = r.hold })(m)
	}},
	{"the guard acts without a look at its deadline", job.Lookup, alone, func(m *model) { m.wrong.checksNot = true }},
	{"the queue loses its messages, and nobody sweeps", job.Resend, alone, func(m *model) { m.wrong.losesAll = true }},
	{"an outcome that nobody knows is taken as done", job.Resend, alone, func(m *model) { m.wrong.unknownIsDone = true }},
	{"resend takes the effect as done", job.Resend, alone, decides(func(r record, d decision) decision {
		if d.next == nextTakeOver && r.acts > 0 {
			d.next = nextAssume
		}
		return d
	})},
	{"take_over shows no state", job.AcceptDuplicate, unlucky, shows(vTakeOver, func(r *rec, _ *verb) { r.state = isClaimed })},
	{"a worker's deadline is later than the end of its lease", job.Resend, alone, func(m *model) { m.wrong.deadlineLater = true }},
	{"look-ups without an answer have no end", job.Lookup, scope{workers: 1, faults: 4, lease: 1}, decides(func(r record, d decision) decision {
		if d.reason == holdLookups {
			d.next = nextTakeOver
		}
		return d
	})},
	{"give_up counts again when it is sent again", job.Lookup, unlucky, shows(vGiveUp, func(r *rec, _ *verb) { r.givenUp = false })},
	{"a late finish is not recorded", job.Resend, alone, func(m *model) { m.wrong.finishesSilently = true }},
	{"give_up does not say so", job.Lookup, unlucky, writesAlso(vGiveUp, func(_ rec, r *rec) { r.givenUp = false })},
}

// Each is found, by a sentence of the guarantee, and the way to it can be read. And
// there is none of these sentences that no mutation breaks.
func TestMutations(t *testing.T) {
	breaks := map[string]bool{}
	for _, c := range mutations {
		t.Run(c.name, func(t *testing.T) {
			m := newModel(c.policy, c.scope)
			c.make(m)
			x, _ := explore(m, mostWorlds)
			if x.broken == nil {
				t.Fatalf("not found in %d worlds", len(x.nodes))
			}
			breaks[x.broken.invariant] = true
			t.Logf("%s, %d worlds: %v", c.policy, len(x.nodes), x.broken)
		})
	}
	if !breaks[neverEnds] {
		t.Errorf("nothing breaks: %s", neverEnds)
	}
	for _, i := range invariants {
		if !breaks[i.name] {
			t.Errorf("nothing breaks: %s", i.name)
		}
	}
}
