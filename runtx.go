package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// ActTx is the body of a job whose effect is rows in the application's own
// database. Everything it writes goes through tx. It must not commit or roll back:
// returning nil commits, anything else rolls back.
type ActTx func(ctx context.Context, tx *sql.Tx, op *Operation) error

// RunTx performs the operation of one delivery once, when its effect is rows in the
// application's own database: claim, effect and completion share one transaction,
// which RunTx opens. So a crash leaves nothing, no policy is needed, and a second
// delivery during the act is answered Live at once, without waiting.
//
// The lease bounds the transaction: a worker that stops inside it loses it. An
// error means that nothing is known to be committed: the message stays on the
// queue, and a redelivery finds out.
func (g *Guard) RunTx(ctx context.Context, d Delivery, act ActTx) (Result, error) {
	t := &sqlTransaction{db: g.records.db, mysql: g.records.mysql, lease: g.job.Lease}
	return g.RunIn(ctx, d, t, func(ctx context.Context, op *Operation) error { return act(ctx, t.tx, op) })
}

// RunIn is RunTx over a transaction of another kind; guardpgx uses it.
func (g *Guard) RunIn(ctx context.Context, d Delivery, t Transaction, act Act) (Result, error) {
	if g.job.Effect.Kind != job.OwnRow {
		return Result{}, fmt.Errorf("job %s: effect %q is guarded by Run", g.job.Type, g.job.Effect.Kind)
	}
	c, err := g.prepare(d)
	if err != nil {
		return Result{}, err
	}
	sent := time.Now()
	lease := untilLeaseEnds(ctx, g.deadline(sent))
	defer lease.stop()
	// Also when the body panics: nothing it wrote may stay.
	defer t.Rollback(context.WithoutCancel(ctx))
	id, claimed, err := t.Begin(lease, g.records.claimOwnRow(c), g.records.markOwnRow()...)
	// MySQL waits for another transaction; the end of the lease may come first.
	inTheWay := dialect.Busy(err) || errors.Is(context.Cause(lease), ErrDeadline)
	if err != nil && !inTheWay {
		return Result{Key: c.key}, fmt.Errorf("claim operation: %w", err)
	}
	if err != nil || !claimed {
		t.Rollback(context.WithoutCancel(ctx))
		return g.skipOwnRow(context.WithoutCancel(ctx), c)
	}
	op := &Operation{Key: c.key, Reference: c.reference, Body: d.Body, lease: lease}
	if err := g.bodyOwnRow(ctx, c, t, op, act); err != nil {
		return g.rollBack(ctx, c, t, op, err)
	}
	return g.commitOwnRow(ctx, c, t, op, id)
}

// bodyOwnRow runs the job's own code. When it panics or ends its goroutine the
// transaction ends on the way out.
func (g *Guard) bodyOwnRow(ctx context.Context, c claimed, t Transaction, op *Operation, act Act) error {
	returned := false
	defer func() {
		if !returned {
			_, _ = g.rollBack(ctx, c, t, op, errors.New("the body did not return"))
		}
	}()
	err := act(op.lease, op)
	returned = true
	if err == nil {
		err = op.Check(op.lease) // too late to commit
	}
	return err
}

// rollBack ends the transaction of a body that did not succeed. Nothing of it
// stays, unless the body has committed by itself before it failed.
func (g *Guard) rollBack(ctx context.Context, c claimed, t Transaction, op *Operation, cause error) (Result, error) {
	t.Rollback(context.WithoutCancel(ctx))
	result := Result{Outcome: Released, Key: c.key, Deadline: op.Deadline(), Err: cause}
	held, err := g.holdBrokenBody(ctx, c)
	if err != nil {
		return Result{Key: c.key, Deadline: op.Deadline(), Err: cause}, fmt.Errorf("read record after a rollback: %w", err)
	}
	if held {
		result.Outcome = Held
	}
	g.log.Warn("rolled back", "key", c.key, "token", c.token, "cause", cause, "held", held)
	return result, nil
}

// commitOwnRow seals and commits. The body may have ended the transaction itself,
// or swallowed an error that made it fail; either is caught before anything is
// acknowledged.
func (g *Guard) commitOwnRow(ctx context.Context, c claimed, t Transaction, op *Operation, id string) (Result, error) {
	value := g.resultOf(op)
	err := t.Commit(op.lease, g.records.lastOwnRow(c, value, id)...)
	if err == nil {
		g.log.Info("completed", "key", c.key, "token", c.token, "completion", completionActed)
		return Result{Outcome: Completed, Key: c.key, Completion: completionActed, Value: value, Deadline: op.Deadline()}, nil
	}
	result := Result{Key: c.key, Deadline: op.Deadline()}
	if !errors.Is(err, ErrNotCommitted) {
		return result, fmt.Errorf("commit: nobody can tell whether it was done: %w", err)
	}
	if answered(err) || errors.Is(err, sql.ErrTxDone) {
		err = errors.Join(ErrBody, err)
	}
	t.Rollback(context.WithoutCancel(ctx))
	held, holdErr := g.holdBrokenBody(ctx, c)
	if held {
		result.Outcome = Held
	}
	return result, errors.Join(fmt.Errorf("commit: not committed: %w", err), holdErr)
}

// holdBrokenBody holds the operation when the body has committed the claim by
// itself: then nobody can tell how much of its effect is there.
func (g *Guard) holdBrokenBody(ctx context.Context, c claimed) (held bool, err error) {
	err = resend(context.WithoutCancel(ctx), time.Now().Add(writePatience), func(ctx context.Context) error {
		r, visible, err := g.records.read(ctx, c.key)
		if err != nil || !visible || r.token != c.token {
			return err
		}
		held = true
		_, err = g.records.holdOwnRow(ctx, c)
		return err
	})
	if held {
		g.log.Error("held: the body ended the guard's transaction", "key", c.key, "token", c.token, "err", err)
	}
	return held && err == nil, err
}

// skipOwnRow says why nothing was claimed. No record that can be seen means that
// another worker's transaction is about to make it.
func (g *Guard) skipOwnRow(ctx context.Context, c claimed) (Result, error) {
	until := time.Now().Add(claimPatience)
	for range claimRounds {
		r, visible, err := g.sendRead(ctx, until, c.key)
		if err != nil {
			return Result{Key: c.key}, fmt.Errorf("read record: %w", err)
		}
		if !visible {
			break
		}
		d := decideOwnRow(r, c.print)
		stands, err := g.writeDecision(ctx, until, c, r, d)
		if err != nil {
			return Result{Key: c.key}, fmt.Errorf("hold operation: %w", err)
		}
		if stands {
			return g.skip(c, answerTo(r, d, false)), nil
		}
	}
	return g.skip(c, answer{next: nextLive, wait: time.Second}), nil
}

// decideOwnRow: a claim in the record comes from before the job's effect was moved
// into the database. Its outside effect may be out, so it is not acted upon.
func decideOwnRow(r record, print job.Fingerprint) decision {
	switch {
	case print.Differs(r.fingerprint):
		return decision{next: nextMismatch}
	case r.state == stateCompleted:
		return decision{next: nextCompleted}
	case r.state == stateHeld:
		return decision{next: nextHeld}
	case r.staleFor < 0:
		return decision{next: nextLive, wait: -r.staleFor}
	}
	return decision{next: nextHold, reason: holdMode}
}
