package twiceproof

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Steps that together take longer than the lease: nobody takes over meanwhile, and
// the body's context moves with the claim.
func TestRenew(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			g, key := r.guard(j), string(j.Stale.Policy)
			res := r.runWith(g, key, func(ctx context.Context, op *Operation) error {
				for range 5 {
					time.Sleep(lease - time.Second)
					r.age(key, lease-time.Second)
					renewedAt := time.Now()
					if err := op.Renew(ctx); err != nil {
						t.Fatal(err)
					}
					end, _ := ctx.Deadline()
					if !end.Equal(renewedAt.Add(lease)) || !op.Deadline().Equal(end) || op.Check(ctx) != nil || ctx.Err() != nil {
						t.Errorf("%s: until %v, want %v", key, end, renewedAt.Add(lease))
					}
					other := r.run(g, key)
					r.wantOutcome(other, Live, false)
					if rest := other.RetryAfter - j.StoredLease(); rest > 0 || rest < -10*time.Second {
						t.Errorf("%s: another is to come back after %s", key, other.RetryAfter)
					}
				}
				return r.till.charge(ctx, op)
			})
			r.wantOutcome(res, Completed, true)
			r.wantRecord(key, "completion=acted acts=1 late_finish_at=null")
			r.wantEffects(key, 1)
		}
	})
}

// Without it the policy decides at the end of the lease: no thread renews by
// itself. With it, only so often.
func TestRenewalIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		res := r.runWith(g, "never", func(ctx context.Context, _ *Operation) error { <-ctx.Done(); return context.Cause(ctx) })
		r.wantOutcome(res, GivenUp, false)
		began, renewals := time.Now(), 0
		res = r.runWith(g, "always", func(ctx context.Context, op *Operation) error {
			for {
				time.Sleep(lease / 2)
				if err := op.Renew(ctx); err != nil {
					if ctx.Err() != nil || op.Check(ctx) != nil {
						t.Error("a refused renewal ended the lease")
					}
					<-ctx.Done()
					return op.Check(ctx)
				}
				renewals++
			}
		})
		r.wantOutcome(res, Released, false)
		if !errors.Is(res.Err, ErrDeadline) || renewals != 2*(maxRenewal-1) || time.Since(began) != maxRenewal*lease {
			t.Errorf("%v after %d renewals and %s", res.Err, renewals, time.Since(began))
		}
	})
}

func TestRenewRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		for key, c := range map[string]struct {
			before func(ctx context.Context, op *Operation)
			want   string
			sent   int
		}{
			"another's": {func(_ context.Context, op *Operation) {
				r.stale(op.Key)
				r.vanish(g, op.Key, false)
			}, "another worker's", 1},
			"held": {func(_ context.Context, op *Operation) {
				r.stale(op.Key)
				r.run(r.guard(holdJob()), op.Key)
			}, "another worker's", 1},
			"the lease is over": {func(context.Context, *Operation) { time.Sleep(lease) }, "", 0},
		} {
			r.runWith(g, key, func(ctx context.Context, op *Operation) error {
				c.before(ctx, op)
				before, end := r.whole(key), op.Deadline()
				r.faults.set(nil)
				if err := op.Renew(ctx); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v", key, err)
				}
				if after := r.whole(key); after != before || !op.Deadline().Equal(end) || r.faults.timesSent("renew") != c.sent {
					t.Errorf("%s: sent %d times\n%s\n%s", key, r.faults.timesSent("renew"), before, after)
				}
				return NotApplied(errTill)
			})
		}
	})
}

// The answer comes when the lease is over already: the body does not go on.
func TestRenewTooLate(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.faults.set(func(verb string, _ int, after bool) error {
			if verb == "renew" && after {
				time.Sleep(lease + time.Second)
			}
			return nil
		})
		res := r.runWith(r.guard(holdJob()), "k", func(ctx context.Context, op *Operation) error {
			if err := op.Renew(ctx); err == nil || ctx.Err() == nil || op.Check(ctx) == nil {
				t.Errorf("%v, %v", err, ctx.Err())
			}
			return op.Check(ctx)
		})
		r.wantOutcome(res, Released, false)
	})
}

// An operation that the body handed to a goroutine it left behind: its claim is not
// brought back to life.
func TestRenewAfterTheBody(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for name, err := range map[string]error{"completed": nil, "released": NotApplied(errTill), "given up": errTill} {
			var left *Operation
			r.runWith(r.guard(holdJob()), name, func(_ context.Context, op *Operation) error { left = op; return err })
			before := r.whole(name)
			if err := left.Renew(context.Background()); err == nil || r.whole(name) != before {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A resend is not kept beyond the time for which the service remembers what an
// earlier attempt may have sent. The first attempt has nothing before it.
func TestRenewWithinTheReferenceWindow(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		j := withPolicy(job.Resend)
		j.Stale.ReferenceWindow = 5 * lease
		g := r.guard(j)
		act := func(want int) Act {
			return func(ctx context.Context, op *Operation) error {
				n := 0
				for ; op.Renew(ctx) == nil; n++ {
					time.Sleep(lease / 2)
				}
				if n != want {
					t.Errorf("%s: %d renewals, want %d", op.Key, n, want)
				}
				return NotApplied(errTill)
			}
		}
		r.runWith(g, "first", act(2*(maxRenewal-1)+1))
		r.vanish(g, "again", true)
		r.stale("again")
		r.firstClaimed("again", 2*lease-lease/4) // 3 leases and a quarter are left, which the database may need to answer
		r.runWith(g, "again", act(5))
	})
}
