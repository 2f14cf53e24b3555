package twiceproof

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// writePatience is how long the end of a claim is sent at the least, however
// little of the lease is left: by the token it is right also afterwards.
const writePatience = 5 * time.Second

func (g *Guard) write(ctx context.Context, a attempt, verb func(context.Context) error) error {
	until := a.op.Deadline()
	if least := time.Now().Add(writePatience); least.After(until) {
		until = least
	}
	return resend(context.WithoutCancel(ctx), until, verb)
}

// complete is sent until it is answered, at least for as long as the claim is
// good: the effect is there, and only this statement says so.
func (g *Guard) complete(ctx context.Context, a attempt, completion string) (Result, error) {
	result := g.resultOf(a.op)
	var mine bool
	err := g.write(ctx, a, func(ctx context.Context) (err error) {
		mine, err = g.records.complete(ctx, a.claimed, completion, result)
		return err
	})
	if err != nil {
		return Result{Key: a.key, Deadline: a.op.Deadline()}, fmt.Errorf("complete operation: %w", err)
	}
	if !mine {
		return g.lost(ctx, a, nil)
	}
	g.log.Info("completed", "key", a.key, "token", a.token, "completion", completion)
	return Result{Outcome: Completed, Key: a.key, Completion: completion, Value: result, Deadline: a.op.Deadline()}, nil
}

func (g *Guard) resultOf(op *Operation) []byte {
	if len(op.result) > maxResult {
		g.log.Warn("result too long to be stored", "key", op.Key, "bytes", len(op.result))
		return nil
	}
	return op.result
}

// release says that the effect is definitely not there. If it cannot be written,
// the end of the lease brings the policy instead, which is as safe and slower.
func (g *Guard) release(ctx context.Context, a attempt, cause error) (Result, error) {
	replacement := newToken()
	err := g.write(ctx, a, func(ctx context.Context) error {
		_, err := g.records.release(ctx, a.claimed, replacement)
		return err
	})
	g.log.Warn("released", "key", a.key, "token", a.token, "cause", cause, "err", err)
	return Result{Outcome: Released, Key: a.key, Deadline: a.op.Deadline(), Err: cause}, nil
}

// giveUp ends a claim about which nobody can tell; lookUps is 1 when a look-up
// gave no answer. If it cannot be written, the end of the lease does the same.
func (g *Guard) giveUp(ctx context.Context, a attempt, cause error, lookUps int) (Result, error) {
	pause := time.Duration(0)
	if g.job.Stale.Policy == job.Lookup {
		pause = g.job.Stale.Settle
	}
	if lookUps > 0 {
		pause = lookUpPause(a.lookUps, g.job)
	}
	var mine bool
	err := g.write(ctx, a, func(ctx context.Context) (err error) {
		mine, err = g.records.giveUp(ctx, a.claimed, pause, lookUps)
		return err
	})
	if err == nil && !mine {
		if r, err := g.lost(ctx, a, cause); err != nil || r.Outcome == Lost {
			return r, err
		}
	}
	if err != nil {
		pause = max(0, time.Until(a.op.Deadline()))
	}
	g.log.Warn("given up", "key", a.key, "token", a.token, "cause", cause, "err", err)
	return Result{Outcome: GivenUp, Key: a.key, RetryAfter: pause, Deadline: a.op.Deadline(), Err: cause}, nil
}

// lost records that this worker came back after its claim had gone to another, and
// tells what the record said then. A record that still shows our own token is not
// lost: then only the reply of our own write was. Read first: a late finish that finds
// our own token changes nothing, and the claim may go to another right after it.
func (g *Guard) lost(ctx context.Context, a attempt, cause error) (Result, error) {
	var r record
	var visible bool
	err := g.write(ctx, a, func(ctx context.Context) (err error) {
		r, visible, err = g.records.read(ctx, a.key)
		if err == nil && (!visible || r.token != a.token) {
			_, err = g.records.lateFinish(ctx, a.claimed)
		}
		return err
	})
	result := Result{Key: a.key, Deadline: a.op.Deadline(), Err: cause}
	if err != nil {
		return result, fmt.Errorf("record late finish: %w", err)
	}
	if visible && r.token == a.token {
		if r.state == stateCompleted { // by a person, who left the token
			result.Outcome = Completed
		}
		return result, nil
	}
	result.Outcome, result.decided = Lost, r.state == stateCompleted || r.state == stateHeld
	g.log.Error("lost claim, a second effect may exist", "key", a.key, "token", a.token, "by", r.token, "state", r.state)
	return result, nil
}
