package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// The completions that the guard itself writes.
const (
	completionActed   = "acted"
	completionFound   = "found"
	completionAssumed = "assumed"
)

// attempt is a claim of ours on its way from claim to completion.
type attempt struct {
	claimed
	op       *Operation
	takeover bool // an earlier attempt may have its effect
	lookUps  int  // without an answer, before this one
	// forgotten is when the service may have forgotten the reference that an earlier
	// attempt may have sent; zero when that does not matter.
	forgotten time.Time
}

func (g *Guard) attempt(ctx context.Context, c claimed, a answer, d Delivery, sent time.Time) attempt {
	reference := a.record.reference
	if reference == "" {
		reference = c.reference // a record from before references were stored
	}
	made := attempt{claimed: c, takeover: a.takeover, lookUps: a.record.lookups, op: &Operation{
		Key: c.key, Reference: reference, Body: d.Body, acts: max(a.record.acts, 1),
		lease: untilLeaseEnds(ctx, g.deadline(sent)),
	}}
	if a.takeover && g.job.Stale.Policy == job.Resend {
		made.forgotten = sent.Add(g.job.Stale.ReferenceWindow - a.record.knownFor)
	}
	made.op.renew = func(ctx context.Context) error { return g.renew(ctx, made, sent) }
	return made
}

// perform brings a claim of ours to its end.
func (g *Guard) perform(ctx context.Context, a attempt, act Act) (Result, error) {
	defer a.op.lease.stop()
	switch {
	case !a.takeover:
		return g.act(ctx, a, act)
	case g.job.Stale.Policy == job.Lookup:
		return g.followLookup(ctx, a, act)
	}
	// resend and accept_duplicate: what may act again was decided at the takeover.
	if late := a.op.Check(a.op.lease); late != nil {
		return g.giveUp(ctx, a, late, 0)
	}
	return g.actOnceMore(ctx, a, act)
}

// followLookup is the policy lookup for a claim that was taken over.
func (g *Guard) followLookup(ctx context.Context, a attempt, act Act) (Result, error) {
	if late := a.op.Check(a.op.lease); late != nil {
		// Not a release: the earlier attempt's effect may still be out.
		return g.giveUp(ctx, a, late, 0)
	}
	found, err := g.askOutside(ctx, a)
	switch {
	case err != nil && ctx.Err() != nil: // shut down while asking: no fault of the service
		return g.giveUp(ctx, a, err, 0)
	case err != nil:
		return g.giveUp(ctx, a, err, 1)
	case found:
		return g.complete(ctx, a, completionFound)
	}
	if late := a.op.Check(a.op.lease); late != nil { // the answer is too old to act upon
		return g.giveUp(ctx, a, late, 0)
	}
	return g.actOnceMore(ctx, a, act)
}

// actOnceMore counts the further attempt before it is made.
func (g *Guard) actOnceMore(ctx context.Context, a attempt, act Act) (Result, error) {
	mine, err := g.actAgain(ctx, a)
	if err != nil {
		return Result{Key: a.key, Deadline: a.op.Deadline()}, fmt.Errorf("act again: %w", err)
	}
	if !mine { // nothing was acted, so there is no late finish to record
		return Result{Outcome: Lost, Key: a.key, Deadline: a.op.Deadline()}, nil
	}
	return g.act(ctx, a, act)
}

// act enters the body, unless the lease has ended on the way to it.
func (g *Guard) act(ctx context.Context, a attempt, act Act) (Result, error) {
	if late := a.op.Check(a.op.lease); late != nil {
		return g.release(ctx, a, late)
	}
	applied, result, err := g.enter(ctx, a, act)
	if applied {
		return g.complete(ctx, a, completionActed)
	}
	return result, err
}

// enter runs the body and ends the claim, unless the effect is there: then the
// completion is left to the caller.
func (g *Guard) enter(ctx context.Context, a attempt, act Act) (applied bool, result Result, err error) {
	err = g.body(ctx, a, 0, func() error { return act(a.op.lease, a.op) })
	switch {
	case err == nil:
		return true, Result{}, nil
	case isNotApplied(err):
		result, err = g.release(ctx, a, err)
	default:
		result, err = g.giveUp(ctx, a, err, 0)
	}
	return false, result, err
}

// body runs the job's own code. When it panics or ends its goroutine nobody can
// tell what it did: the claim is given up on the way out. lookUps is 1 for a
// look-up, which then gave no answer.
func (g *Guard) body(ctx context.Context, a attempt, lookUps int, run func() error) (err error) {
	returned := false
	defer func() {
		if !returned {
			_, _ = g.giveUp(ctx, a, errors.New("the body did not return"), lookUps)
		}
	}()
	err = run()
	returned = true
	return err
}

func (g *Guard) askOutside(ctx context.Context, a attempt) (found bool, err error) {
	err = g.body(ctx, a, 1, func() (err error) {
		found, err = g.lookUp(a.op.lease, a.op)
		return err
	})
	g.log.Info("taken over", "key", a.key, "token", a.token, "found", found, "err", err)
	return found, err
}

func (g *Guard) actAgain(ctx context.Context, a attempt) (mine bool, err error) {
	err = resend(context.WithoutCancel(ctx), a.op.Deadline(), func(ctx context.Context) (err error) {
		mine, err = g.records.actAgain(ctx, a.claimed, a.op.acts)
		return err
	})
	return mine, err
}

// renew asks for another lease, up to the most that one claim may have.
func (g *Guard) renew(ctx context.Context, a attempt, sent time.Time) error {
	now := time.Now()
	end := g.deadline(now)
	if end.Sub(sent) > maxRenewal*g.job.Lease {
		return errors.New("the claim has been renewed for as long as it may be")
	}
	if !a.forgotten.IsZero() && end.After(a.forgotten) {
		return errors.New("the service may have forgotten the reference by then")
	}
	var mine bool
	err := resend(ctx, a.op.Deadline(), func(ctx context.Context) (err error) {
		mine, err = g.records.renew(ctx, a.claimed)
		return err
	})
	switch {
	case err != nil:
		return err
	case !mine:
		return errors.New("the claim is another worker's")
	case !a.op.lease.move(end):
		return ErrDeadline
	}
	return nil
}
