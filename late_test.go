package twiceproof

import (
	"context"
	"errors"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// Nobody took over, so the completion is right however late it comes.
func TestCompletionAfterTheLease(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range []job.Job{holdJob(), lookupJob()} {
			key := string(j.Stale.Policy)
			res := r.runWith(r.guard(j), key, func(ctx context.Context, op *Operation) error {
				r.stale(key)
				return r.till.charge(ctx, op)
			})
			r.wantOutcome(res, Completed, true)
			r.wantRecord(key, "state=completed completion=acted late_finish_at=null")
		}
	})
}

// A hold keeps the token, so that the worker that did finish can still say so.
func TestCompletionOfAHeldClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		res := r.runWith(g, "k", func(ctx context.Context, op *Operation) error {
			r.stale("k")
			r.wantOutcome(r.run(g, "k"), Held, true)
			return r.till.charge(ctx, op)
		})
		r.wantOutcome(res, Completed, true)
		r.wantRecord("k", "state=completed completion=acted held_at=set hold_reason=worker_vanished message=null late_finish_at=null")
		r.wantOutcome(r.run(g, "k"), Completed, true)
		r.wantEffects("k", 1)
	})
}

// An owner whose claim was held meanwhile and who did not finish leaves the hold.
func TestEndsOfAHeldClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		for key, c := range map[string]struct {
			err  error
			want Outcome
		}{"unknown": {errTill, GivenUp}, "not": {NotApplied(errTill), Released}} {
			res := r.runWith(g, key, func(context.Context, *Operation) error {
				r.stale(key)
				r.wantOutcome(r.run(g, key), Held, true)
				return c.err
			})
			r.wantOutcome(res, c.want, false)
			r.wantRecord(key, "state=held acts=1 late_finish_at=null")
			r.wantOutcome(r.run(g, key), Held, true)
		}
	})
}

// takenOver runs a body during which another worker takes over and ends as said.
func (r *rig) takenOver(key string, other Act, then error) Result {
	g := r.guard(lookupJob())
	return r.runWith(g, key, func(ctx context.Context, op *Operation) error {
		r.stale(key)
		r.run2(g, key, other)
		_ = r.till.charge(ctx, op)
		return then
	})
}

func (r *rig) run2(g *Guard, key string, act Act) {
	if act == nil { // it dies
		r.vanish(g, key, false)
		return
	}
	r.runWith(g, key, act)
}

func TestLateFinish(t *testing.T) {
	completes := func(context.Context, *Operation) error { return nil }
	releases := func(context.Context, *Operation) error { return NotApplied(errTill) }
	givesUp := func(context.Context, *Operation) error { return errTill }
	onEach(t, func(t *testing.T, r *rig) {
		for name, c := range map[string]struct {
			other Act
			then  error
			ack   bool
			state string
		}{
			"completed, then a late success": {completes, nil, true, "completed"},
			"completed, then a late unknown": {completes, errTill, true, "completed"},
			"in work, then a late success":   {nil, nil, false, "claimed"},
			"in work, then a late unknown":   {nil, errTill, false, "claimed"},
			"released, then a late success":  {releases, nil, false, "claimed"},
			"given up, then a late success":  {givesUp, nil, false, "claimed"},
		} {
			res := r.takenOver(name, c.other, c.then)
			r.wantOutcome(res, Lost, c.ack)
			if !errors.Is(res.Err, c.then) {
				t.Errorf("%s: error %v", name, res.Err)
			}
			r.wantRecord(name, "late_finish_at=set state="+c.state)
		}
	})
}

// Lost to a worker whose claim was then held for a person: acknowledged.
func TestLateFinishOfAHeldOperation(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		res := r.runWith(g, "k", func(ctx context.Context, op *Operation) error {
			r.stale("k")
			r.vanish(g, "k", false)
			r.stale("k")
			r.wantOutcome(r.run(r.guard(holdJob()), "k"), Held, true)
			return r.till.charge(ctx, op)
		})
		r.wantOutcome(res, Lost, true)
		r.wantRecord("k", "state=held late_finish_at=set")
	})
}

// The late finisher changes late_finish_at and nothing else, and its first time
// stays.
func TestLateFinishChangesNothingElse(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		a := r.vanish(g, "k", true)
		r.stale("k")
		r.run(g, "k")
		before := r.whole("k")
		for range 2 {
			res, err := g.complete(context.Background(), a, completionActed)
			if err != nil {
				t.Fatal(err)
			}
			r.wantOutcome(res, Lost, true)
			first := r.column("k", "late_finish_at")
			if res, err = g.giveUp(context.Background(), a, errTill, 1); err != nil {
				t.Fatal(err)
			}
			r.wantOutcome(res, Lost, true)
			r.wantRecord("k", "late_finish_at="+first)
		}
		r.set("k", "late_finish_at = NULL")
		if after := r.whole("k"); after != before {
			t.Errorf("a late finish changed more:\n%s\n%s", before, after)
		}
	})
}

// A late release has nothing to tell: its effect is definitely not out.
func TestLateRelease(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		a := r.vanish(g, "k", false)
		r.stale("k")
		r.run(g, "k")
		before := r.whole("k")
		res, err := g.release(context.Background(), a, errTill)
		if err != nil {
			t.Fatal(err)
		}
		r.wantOutcome(res, Released, false)
		if after := r.whole("k"); after != before {
			t.Errorf("a late release changed the record:\n%s\n%s", before, after)
		}
	})
}

// A taker that lost its claim between its look-up and act_again does not act.
func TestTakerThatLostItsClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", false)
		r.stale("k")
		r.faults.set(func(verb string, _ int, after bool) error {
			if verb == "act_again" && !after {
				r.faults.set(nil)
				r.stale("k")
				r.vanish(g, "k", false)
			}
			return nil
		})
		r.wantOutcome(r.run(g, "k"), Lost, false)
		r.wantRecord("k", "state=claimed acts=1 late_finish_at=null")
		r.wantEffects("k", 0)
	})
}

// A person who decides in the record by hand leaves the token. The worker that
// finishes then is told what the record says.
func TestFinishAfterAPerson(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		res := r.runWith(r.guard(holdJob()), "k", func(ctx context.Context, op *Operation) error {
			r.set("k", "state = 'completed', completion = 'resolved', completed_at = "+r.ago(0))
			return r.till.charge(ctx, op)
		})
		r.wantOutcome(res, Completed, true)
		r.wantRecord("k", "completion=resolved late_finish_at=null")
	})
}
