package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

var errTill = errors.New("till answers 500")

func TestStaleWithoutDoubt(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range []job.Job{holdJob(), lookupJob()} {
			g, key := r.guard(j), string(j.Stale.Policy)
			res := r.runWith(g, key, func(context.Context, *Operation) error { return NotApplied(errTill) })
			r.wantOutcome(res, Released, false)
			r.wantRecord(key, "state=claimed acts=0 given_up=1 vanished=0 message=set")
			r.wantOutcome(r.run(g, key), Completed, true)
			r.wantRecord(key, "completion=acted acts=1 given_up=0 vanished=0")
			r.wantEffects(key, 1)
		}
		if r.till.lookUps() != 0 {
			t.Error("looked up without doubt")
		}
	})
}

func TestTakeoverFinds(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", true)
		token := r.token("k")
		r.stale("k")
		res := r.run(g, "k")
		r.wantOutcome(res, Completed, true)
		if res.Repeat {
			t.Error("found by this delivery, not by an earlier one")
		}
		r.wantRecord("k", "state=completed completion=found acts=1 vanished=1 given_up=0 lookups=0 message=null")
		if r.token("k") == token || r.till.lookUps() != 1 {
			t.Errorf("token kept, or %d look-ups", r.till.lookUps())
		}
		r.wantEffects("k", 1)
	})
}

func TestTakeoverFindsNothing(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", false)
		first := r.column("k", "first_claimed_at")
		r.stale("k")
		res := r.runWith(g, "k", func(ctx context.Context, op *Operation) error {
			r.wantRecord("k", "state=claimed acts=2 vanished=1 given_up=0 lease_ms=70000 first_claimed_at="+first)
			return r.till.charge(ctx, op)
		})
		r.wantOutcome(res, Completed, true)
		r.wantRecord("k", "completion=acted acts=2")
		r.wantEffects("k", 1)
	})
}

// A look-up without an answer is never "not found": nothing is acted, the claim
// rests longer each time, and in the end a person has it.
func TestLookUpsWithoutAnAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", true)
		r.till.down = errTill
		r.stale("k")
		for n, want := range []time.Duration{settle, settle, settle, settle, 16 * time.Second} {
			res := r.run(g, "k")
			r.wantOutcome(res, GivenUp, false)
			if res.RetryAfter != want || !errors.Is(res.Err, errTill) {
				t.Errorf("look-up %d: %+v, want a pause of %s", n+1, res, want)
			}
			r.wantRecord("k", fmt.Sprintf("state=claimed acts=1 given_up=1 vanished=1 lookups=%d", n+1))
			again := r.run(g, "k")
			r.wantOutcome(again, Live, false)
			if again.RetryAfter > want || again.RetryAfter < want-5*time.Second {
				t.Errorf("the claim rests %s, want %s", again.RetryAfter, want)
			}
			r.age("k", want)
		}
		r.wantOutcome(r.run(g, "k"), Held, true)
		r.wantRecord("k", "state=held hold_reason=max_lookups lookups=5")
		if r.till.lookUps() != 5 {
			t.Errorf("%d look-ups", r.till.lookUps())
		}
		r.wantEffects("k", 1)
	})
}

func TestMaxTakeovers(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", false)
		for n := range job.DefaultMaxTakeovers {
			r.stale("k")
			r.vanish(g, "k", false)
			r.wantRecord("k", "state=claimed acts=1 vanished="+strconv.Itoa(n+1))
		}
		token := r.token("k")
		r.stale("k")
		r.wantOutcome(r.run(g, "k"), Held, true)
		r.wantRecord("k", "state=held hold_reason=max_takeovers message=set")
		if r.token("k") != token {
			t.Error("the hold replaced the token")
		}
		r.wantEffects("k", 0)
	})
}

// A claim made under hold is stale at the end of its lease, but a look-up is
// right only when the settle time has passed too.
func TestPolicyChangedToLookup(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.vanish(r.guard(holdJob()), "k", true)
		r.age("k", lease)
		res := r.run(r.guard(lookupJob()), "k")
		r.wantOutcome(res, Live, false)
		if res.RetryAfter > settle || res.RetryAfter < settle-5*time.Second || r.till.lookUps() != 0 {
			t.Errorf("retry after %s, %d look-ups", res.RetryAfter, r.till.lookUps())
		}
		r.age("k", settle)
		r.wantOutcome(r.run(r.guard(lookupJob()), "k"), Completed, true)
		r.wantRecord("k", "completion=found policy=lookup")
		r.wantEffects("k", 1)
	})
}

func TestPolicyChangedToHold(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.vanish(r.guard(lookupJob()), "k", true)
		r.stale("k")
		r.wantOutcome(r.run(r.guard(holdJob()), "k"), Held, true)
		r.wantRecord("k", "state=held policy=hold hold_reason=worker_vanished")
		r.wantEffects("k", 1)
	})
}

func TestRelease(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		a := r.vanish(g, "k", false)
		r.set("k", "acts = 2")
		if _, err := g.release(context.Background(), a, errTill); err != nil {
			t.Fatal(err)
		}
		r.wantRecord("k", "state=claimed acts=1 given_up=1 late_finish_at=null")
		if r.token("k") == a.token {
			t.Error("a release kept the token")
		}
		before := r.whole("k")
		if _, err := g.release(context.Background(), a, errTill); err != nil || r.whole("k") != before {
			t.Errorf("a release sent again changed the record (%v):\n%s\n%s", err, before, r.whole("k"))
		}
		r.wantOutcome(r.run(g, "k"), Completed, true) // one attempt was in doubt before
		r.wantRecord("k", "acts=2 vanished=0")
		if r.till.lookUps() != 1 {
			t.Errorf("%d look-ups", r.till.lookUps())
		}
	})
}

func TestGiveUp(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		hold, look := r.guard(holdJob()), r.guard(lookupJob())
		unknown := func(ctx context.Context, op *Operation) error {
			_ = r.till.charge(ctx, op)
			return errTill
		}
		res := r.runWith(hold, "h", unknown)
		r.wantOutcome(res, GivenUp, false)
		if res.RetryAfter != 0 || !errors.Is(res.Err, errTill) {
			t.Errorf("%+v", res)
		}
		r.wantRecord("h", "state=claimed acts=1 given_up=1 vanished=0 message=set")
		r.wantOutcome(r.run(hold, "h"), Held, true)
		r.wantRecord("h", "state=held hold_reason=unknown_outcome")

		res = r.runWith(look, "l", unknown)
		r.wantOutcome(res, GivenUp, false)
		if res.RetryAfter != settle {
			t.Errorf("retry after %s", res.RetryAfter)
		}
		r.wantOutcome(r.run(look, "l"), Live, false)
		r.age("l", settle)
		r.wantOutcome(r.run(look, "l"), Completed, true)
		r.wantRecord("l", "completion=found vanished=0")
		r.wantEffects("h", 1)
		r.wantEffects("l", 1)
	})
}
