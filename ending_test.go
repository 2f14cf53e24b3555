package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

func bothPolicies() []job.Job { return []job.Job{holdJob(), lookupJob()} }

func TestEndsOfTheBody(t *testing.T) {
	refused := errors.New("connection refused")
	onEach(t, func(t *testing.T, r *rig) {
		for name, c := range map[string]struct {
			err  error
			want Outcome
		}{
			"nil":                           {nil, Completed},
			"not applied":                   {NotApplied(refused), Released},
			"not applied, no cause":         {NotApplied(nil), Released},
			"not applied, wrapped":          {fmt.Errorf("charge: %w", NotApplied(refused)), Released},
			"not applied, twice":            {NotApplied(fmt.Errorf("charge: %w", NotApplied(refused))), Released},
			"an unknown one in NotApplied":  {NotApplied(errors.Join(refused, errTill)), Released},
			"all of several not applied":    {errors.Join(NotApplied(refused), NotApplied(errTill)), Released},
			"one of several not applied":    {errors.Join(NotApplied(refused), io.ErrUnexpectedEOF), GivenUp},
			"first refused, second timeout": {fmt.Errorf("%w, then %w", NotApplied(refused), context.DeadlineExceeded), GivenUp},
			"plain":                         {errTill, GivenUp},
			"wrapped":                       {fmt.Errorf("charge: %w", errTill), GivenUp},
			"context":                       {context.Canceled, GivenUp},
			"the guard's own":               {ErrDeadline, GivenUp},
		} {
			for _, j := range bothPolicies() {
				key := name + " " + string(j.Stale.Policy)
				res := r.runWith(r.guard(j), key, func(context.Context, *Operation) error { return c.err })
				r.wantOutcome(res, c.want, c.want == Completed)
				if res.Err != c.err {
					t.Errorf("%s: %v", key, res.Err)
				}
				r.wantRecord(key, map[Outcome]string{
					Completed: "state=completed completion=acted given_up=0", Released: "state=claimed acts=0 given_up=1",
					GivenUp: "state=claimed acts=1 given_up=1 completed_at=null",
				}[c.want])
			}
		}
	})
}

// outside runs a body that does not return, and tells what came out of Run.
func outside(run func()) (panicked any, returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		run()
		returned = true
	}()
	<-done
	return panicked, returned
}

func TestBodyThatDoesNotReturn(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for name, end := range map[string]func(){
			"panic":  func() { panic("out of paper") },
			"goexit": runtime.Goexit,
		} {
			for _, j := range bothPolicies() {
				key := name + " " + string(j.Stale.Policy)
				panicked, returned := outside(func() {
					_, _ = r.guard(j).Run(context.Background(), delivery(key), func(ctx context.Context, op *Operation) error {
						_ = r.till.charge(ctx, op)
						end()
						return nil
					})
				})
				if returned || (name == "panic") != (panicked == "out of paper") {
					t.Errorf("%s: panicked %v, returned %v", key, panicked, returned)
				}
				r.wantRecord(key, "state=claimed acts=1 given_up=1 completed_at=null")
				r.age(key, settle)
				r.run(r.guard(j), key)
				r.wantRecord(key, map[job.Policy]string{
					job.Hold: "state=held hold_reason=unknown_outcome", job.Lookup: "state=completed completion=found",
				}[j.Stale.Policy])
				r.wantEffects(key, 1)
			}
		}
	})
}

// A look-up that panics gave no answer. It must end with a person, like one that
// fails.
func TestLookUpThatDoesNotReturn(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		g.lookUp = func(context.Context, *Operation) (bool, error) { panic("out of paper") }
		r.vanish(g, "k", true)
		for n := range job.DefaultMaxLookups {
			r.stale("k")
			if panicked, _ := outside(func() { r.run(g, "k") }); panicked != "out of paper" {
				t.Errorf("panicked %v", panicked)
			}
			r.wantRecord("k", fmt.Sprintf("state=claimed acts=1 given_up=1 lookups=%d", n+1))
		}
		r.stale("k")
		r.wantOutcome(r.run(g, "k"), Held, true)
		r.wantRecord("k", "hold_reason=max_lookups")
		r.wantEffects("k", 1)
	})
}
