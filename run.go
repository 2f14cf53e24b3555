package twiceproof

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Act is the job's body: it makes the effect. Returning nil means that the
// effect is there. An error marked by NotApplied means that it is definitely
// not; any other error, and a panic, that nobody can tell.
type Act func(ctx context.Context, op *Operation) error

// Run performs the operation of one delivery once: claim, act, complete. The
// effect is outside the application's database, so Run opens no transaction.
//
// The result says what to do with the message. An error means that nothing could
// be stored in the database (or, wrapping ErrKey, that the message names no
// operation): the message stays on the queue. A cancelled ctx before the claim
// claims nothing; afterwards it cancels the body, never the completion.
func (g *Guard) Run(ctx context.Context, d Delivery, act Act) (Result, error) {
	if g.job.Effect.Kind != job.Outside {
		return Result{}, fmt.Errorf("job %s: effect %q is guarded by RunTx", g.job.Type, g.job.Effect.Kind)
	}
	c, err := g.prepare(d)
	if err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{Key: c.key}, err
	}
	sent := time.Now()
	a, err := g.claim(context.WithoutCancel(ctx), c, sent)
	if err != nil {
		return Result{Key: c.key}, err
	}
	if a.next == nextAct {
		return g.perform(ctx, g.attempt(ctx, c, a, d, sent), act)
	}
	return g.skip(c, a), nil
}

// countRepeat keeps the number of repeats off the path of the delivery: at most one
// is being counted at a time, never over the last connection that a delivery could
// have, and the rest are not. The count is a lower bound.
func (g *Guard) countRepeat(key string) {
	pool := g.records.db.Stats()
	if pool.MaxOpenConnections > 0 && pool.InUse+1 >= pool.MaxOpenConnections || !g.counting.TryLock() {
		return
	}
	go func() {
		defer g.counting.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), tryPatience)
		defer cancel()
		if err := g.records.repeat(ctx, key); err != nil {
			g.log.Debug("repeat not counted", "key", key, "err", err)
		}
	}()
}

func (g *Guard) prepare(d Delivery) (claimed, error) {
	key, err := g.job.Operation.KeyOf(d.Fields)
	if err != nil {
		return claimed{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	print, err := g.job.Operation.FingerprintOf(d.Fields)
	if err != nil {
		return claimed{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	c := claimed{key: key, token: newToken(), print: print, reference: job.Reference(g.job.Type, key)}
	if g.job.StoreMessage {
		if len(d.Message) <= maxMessage {
			c.message = d.Message
		} else {
			g.log.Warn("message too long to be stored", "key", key, "bytes", len(d.Message))
		}
	}
	return c, nil
}

// skip is for a delivery that has nothing to do.
func (g *Guard) skip(c claimed, a answer) Result {
	r := Result{Key: c.key, RetryAfter: a.wait, Completion: a.record.completion}
	switch a.next {
	case nextCompleted:
		r.Outcome, r.Repeat, r.Value = Completed, true, a.record.result
		if a.record.repeatDue {
			g.countRepeat(c.key)
		}
	case nextAssume:
		r.Outcome = Completed
	case nextHeld:
		r.Outcome = Held
	case nextMismatch:
		r.Outcome = Mismatch
		g.log.Error("same key, different content", "key", c.key, "token", a.record.token, "fields", c.print.Fields,
			"fingerprint", fmt.Sprintf("%x", c.print.Sum), "recorded", fmt.Sprintf("%x", a.record.fingerprint.Sum))
		return r
	default:
		r.Outcome = Live
	}
	g.log.Info("skipped", "outcome", r.Outcome, "key", c.key, "token", a.record.token,
		"completion", a.record.completion, "hold_reason", a.record.holdReason, "retry_after", r.RetryAfter)
	return r
}
