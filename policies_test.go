package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

const window = 10 * time.Minute

func withPolicy(p job.Policy) job.Job {
	j := holdJob()
	j.Stale = job.Stale{Policy: p}
	switch p {
	case job.Lookup:
		j.Stale.Settle = settle
	case job.Resend:
		j.Stale.ReferenceWindow = window
	}
	return j
}

func everyPolicy() (all []job.Job) {
	for _, p := range []job.Policy{job.Hold, job.Lookup, job.Resend, job.AcceptDuplicate, job.AcceptMiss} {
		all = append(all, withPolicy(p))
	}
	return all
}

// firstClaimed makes the operation's first claim that much older.
func (r *rig) firstClaimed(key string, ago time.Duration) {
	r.t.Helper()
	r.set(key, "first_claimed_at = "+r.ago(ago))
}

func TestResend(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(withPolicy(job.Resend))
		r.vanish(g, "k", true)
		r.set("k", "reference = 'from-the-first-claim'")
		r.stale("k")
		r.firstClaimed("k", window-lease-5*time.Second)
		got := ""
		res := r.runWith(g, "k", func(_ context.Context, op *Operation) error {
			r.wantRecord("k", "state=claimed acts=2 vanished=1 policy=resend lease_ms=60000")
			got = op.Reference
			return nil
		})
		r.wantOutcome(res, Completed, true)
		r.wantRecord("k", "completion=acted acts=2 reference=from-the-first-claim")
		if got != "from-the-first-claim" || r.till.lookUps() != 0 {
			t.Errorf("reference %q, %d look-ups", got, r.till.lookUps())
		}
	})
}

// By the end of the new lease the service may have forgotten the reference.
func TestReferenceWindow(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(withPolicy(job.Resend))
		for key, acts := range map[string]string{"in doubt": "1", "twice in doubt": "2", "without doubt": "0"} {
			token := r.vanish(g, key, true).token
			r.set(key, "acts = "+acts)
			r.stale(key)
			r.firstClaimed(key, window-lease+time.Millisecond)
			res := r.run(g, key)
			if acts == "0" { // nothing was sent, so nothing can be forgotten
				r.wantOutcome(res, Completed, true)
				continue
			}
			r.wantOutcome(res, Held, true)
			r.wantRecord(key, "state=held hold_reason=reference_window message=set")
			r.wantEffects(key, 1)
			if r.token(key) != token {
				t.Error("the hold replaced the token")
			}
		}
	})
}

// Two effects in total, however the attempts end, and then a person.
func TestAcceptDuplicate(t *testing.T) {
	unknown := func(r *rig) Act {
		return func(ctx context.Context, op *Operation) error { _ = r.till.charge(ctx, op); return errTill }
	}
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(withPolicy(job.AcceptDuplicate))
		r.vanish(g, "vanished", true)
		r.wantOutcome(r.runWith(g, "unknown", unknown(r)), GivenUp, false)
		for _, key := range []string{"vanished", "unknown"} {
			for n := range 6 {
				r.stale(key)
				res := r.runWith(g, key, unknown(r))
				r.wantOutcome(res, map[bool]Outcome{true: GivenUp, false: Held}[n == 0], n > 0)
			}
			r.wantRecord(key, "state=held hold_reason=max_acts acts=2")
			r.wantEffects(key, 2)
		}
		// A worker that dies between its takeover and its effect has not used it up.
		r.vanish(g, "died early", true)
		r.stale("died early")
		r.vanish(g, "died early", false)
		r.stale("died early")
		r.wantOutcome(r.run(g, "died early"), Completed, true)
		r.wantRecord("died early", "acts=2 vanished=2")
		r.wantEffects("died early", 2)
		// Nor has one that was refused.
		r.vanish(g, "refused", true)
		r.stale("refused")
		r.wantOutcome(r.runWith(g, "refused", func(context.Context, *Operation) error { return NotApplied(errTill) }), Released, false)
		r.wantRecord("refused", "acts=1")
		r.wantOutcome(r.run(g, "refused"), Completed, true)
		r.wantEffects("refused", 2)
	})
}

func TestAcceptMiss(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(withPolicy(job.AcceptMiss))
		a := r.vanish(g, "k", false)
		r.stale("k")
		res := r.run(g, "k")
		r.wantOutcome(res, Completed, true)
		if res.Completion != "assumed" || res.Repeat {
			t.Errorf("%+v", res)
		}
		r.wantRecord("k", "state=completed completion=assumed completed_at=set message=null acts=1 vanished=0 policy=accept_miss")
		if r.token("k") != a.token {
			t.Error("the token changed")
		}
		res = r.run(g, "k")
		r.wantOutcome(res, Completed, true)
		if !res.Repeat || res.Completion != "assumed" {
			t.Errorf("%+v", res)
		}
		r.wantEffects("k", 0)
		// The worker that did finish can still say so, and one that cannot tell changes nothing.
		g.awaitCount()
		before := r.whole("k")
		if _, err := g.giveUp(context.Background(), a, errTill, 0); err != nil || r.whole("k") != before {
			t.Errorf("%v\n%s\n%s", err, before, r.whole("k"))
		}
		late, err := g.complete(context.Background(), a, completionActed)
		if err != nil {
			t.Fatal(err)
		}
		r.wantOutcome(late, Completed, true)
		r.wantRecord("k", "completion=acted late_finish_at=null")

		refused := r.runWith(g, "refused", func(context.Context, *Operation) error { return NotApplied(errTill) })
		r.wantOutcome(refused, Released, false)
		r.wantOutcome(r.run(g, "refused"), Completed, true) // no doubt, so nothing is assumed
		r.wantRecord("refused", "completion=acted")
		r.wantEffects("refused", 1)
	})
}

// Workers that only vanish end with a person under every policy that takes over.
func TestMaxTakeoversOfEveryPolicy(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			j.Stale.MaxTakeovers = 2
			g, key := r.guard(j), string(j.Stale.Policy)
			r.vanish(g, key, false)
			if j.Stale.Policy == job.Hold || j.Stale.Policy == job.AcceptMiss {
				r.set(key, "vanished = 2") // under another policy, before
			} else {
				for range 2 {
					r.stale(key)
					r.vanish(g, key, false)
				}
			}
			r.stale(key)
			r.wantOutcome(r.run(g, key), Held, true)
			want := holdTakeovers
			if j.Stale.Policy == job.Hold {
				want = holdVanished
			}
			r.wantRecord(key, "state=held vanished=2 hold_reason="+want)
			r.wantEffects(key, 0)
		}
	})
}

// The effect is out and the worker hangs to its end, or its client raises
// though the service applied the call; then five deliveries. What a stale
// claim leads to is the policy, in total and not for each attempt.
func TestUnknownUnderEveryPolicy(t *testing.T) {
	ends := map[job.Policy]struct {
		most   int
		record string
	}{
		job.Hold: {1, "state=held"}, job.Lookup: {1, "state=completed completion=found"}, job.Resend: {6, "state=claimed"},
		job.AcceptDuplicate: {2, "state=held hold_reason=max_acts"}, job.AcceptMiss: {1, "state=completed completion=assumed"},
	}
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			for _, raises := range []bool{false, true} {
				key := fmt.Sprint(j.Stale.Policy, raises)
				g := r.guard(j)
				unknown := func(ctx context.Context, op *Operation) error {
					return errors.Join(r.till.charge(ctx, op), context.DeadlineExceeded)
				}
				if raises {
					r.wantOutcome(r.runWith(g, key, unknown), GivenUp, false)
				} else {
					r.vanish(g, key, true)
				}
				for range 5 {
					r.stale(key)
					r.runWith(g, key, unknown)
				}
				end := ends[j.Stale.Policy]
				r.wantRecord(key, end.record) // resend: each with the one reference
				if n := r.till.count(key); n != end.most {
					t.Errorf("%s: %d effects, want %d", key, n, end.most)
				}
			}
		}
	})
}
