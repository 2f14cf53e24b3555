package twiceproof

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs a test on each database with a clock that moves only when
// everything waits: time passes for the guard, not for the database.
func inBubble(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			made := newRig(t, d) // outside: the server's own goroutines stay there
			synctest.Test(t, func(t *testing.T) { test(t, newRigOn(t, made)) })
		})
	}
}

func TestDeadlineDuringTheBody(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, j := range bothPolicies() {
			for name, c := range map[string]struct {
				body func(ctx context.Context, op *Operation) error
				want Outcome
			}{
				"ends unknown":  {func(ctx context.Context, _ *Operation) error { <-ctx.Done(); return ctx.Err() }, GivenUp},
				"checks late":   {func(ctx context.Context, op *Operation) error { <-ctx.Done(); return op.Check(context.Background()) }, Released},
				"checks early":  {func(ctx context.Context, op *Operation) error { time.Sleep(lease - 1); return op.Check(ctx) }, Completed},
				"finishes late": {func(context.Context, *Operation) error { time.Sleep(2 * lease); return nil }, Completed},
			} {
				key := name + " " + string(j.Stale.Policy)
				res := r.runWith(r.guard(j), key, func(ctx context.Context, op *Operation) error {
					err := c.body(ctx, op)
					if ctx.Err() != nil && context.Cause(ctx) != ErrDeadline {
						t.Errorf("%s: cause %v", key, context.Cause(ctx))
					}
					return err
				})
				r.wantOutcome(res, c.want, c.want == Completed)
				if c.want == Released && !errors.Is(res.Err, ErrDeadline) {
					t.Errorf("%s: %v", key, res.Err)
				}
			}
		}
	})
}

// The body is not entered after the deadline, however the time went by.
func TestDeadlineBeforeTheBody(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		slow := func(verb string) {
			r.faults.set(func(v string, _ int, after bool) error {
				if v == verb && after {
					time.Sleep(lease)
				}
				return nil
			})
		}
		a := r.vanish(g, "slow claim", false)
		time.Sleep(lease)
		res, err := g.perform(context.Background(), a, r.till.charge)
		if err != nil {
			t.Fatal(err)
		}
		r.wantOutcome(res, Released, false)
		r.wantRecord("slow claim", "acts=0 given_up=1")

		r.vanish(g, "slow takeover", false)
		r.stale("slow takeover")
		slow("take_over")
		r.wantOutcome(r.run(g, "slow takeover"), GivenUp, false)
		r.wantRecord("slow takeover", "acts=1 given_up=1 lookups=0")

		slow("")
		r.vanish(g, "slow act_again", false)
		r.stale("slow act_again")
		slow("act_again")
		r.wantOutcome(r.run(g, "slow act_again"), Released, false)
		r.wantRecord("slow act_again", "acts=1 given_up=1 vanished=1")

		slow("")
		g.lookUp = func(context.Context, *Operation) (bool, error) { time.Sleep(lease); return false, nil }
		r.vanish(g, "slow look-up", false)
		r.stale("slow look-up")
		r.wantOutcome(r.run(g, "slow look-up"), GivenUp, false)
		r.wantRecord("slow look-up", "acts=1 given_up=1 vanished=1")
		if r.till.total() != 0 {
			t.Errorf("%d effects after the deadline", r.till.total())
		}
	})
}

func TestCancelledDuringTheBody(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for name, c := range map[string]struct {
			body func(ctx context.Context, op *Operation) error
			want Outcome
		}{
			"ends unknown":          {func(ctx context.Context, _ *Operation) error { return context.Cause(ctx) }, GivenUp},
			"finished all the same": {func(context.Context, *Operation) error { return nil }, Completed},
			"checked before":        {func(ctx context.Context, op *Operation) error { return op.Check(ctx) }, Released},
		} {
			ctx, cancel := context.WithCancelCause(context.Background())
			res, err := r.guard(holdJob()).Run(ctx, delivery(name), func(ctx context.Context, op *Operation) error {
				if err := op.Check(ctx); err != nil {
					t.Errorf("%s: too late at once: %v", name, err)
				}
				cancel(errTill)
				return c.body(ctx, op)
			})
			if err != nil || c.want != Completed && !errors.Is(res.Err, errTill) {
				t.Errorf("%s: %v, %v", name, res.Err, err)
			}
			r.wantOutcome(res, c.want, c.want == Completed)
		}
	})
}

// Cancelled between the claim and the body: nothing was applied.
func TestCancelledAfterTheClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		r.faults.set(func(verb string, _ int, after bool) error {
			if verb == "claim" && after {
				cancel()
			}
			return nil
		})
		res, err := r.guard(holdJob()).Run(ctx, delivery("k"), r.till.charge)
		if err != nil {
			t.Fatal(err)
		}
		r.wantOutcome(res, Released, false)
		r.wantRecord("k", "state=claimed acts=0 given_up=1")
		r.wantEffects("k", 0)
	})
}

// A worker that is shut down while it looks up says nothing about the service.
func TestCancelledDuringTheLookUp(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", true)
		r.stale("k")
		ctx, cancel := context.WithCancel(context.Background())
		g.lookUp = func(ctx context.Context, _ *Operation) (bool, error) { cancel(); return false, ctx.Err() }
		res, err := g.Run(ctx, delivery("k"), r.till.charge)
		if err != nil {
			t.Fatal(err)
		}
		r.wantOutcome(res, GivenUp, false)
		r.wantRecord("k", "state=claimed given_up=1 lookups=0")
		r.wantEffects("k", 1)
	})
}
