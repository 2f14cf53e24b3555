package twiceproof

import (
	"context"
	"fmt"
	"time"
)

// answer is what a delivery got: its own claim, or what to do instead.
type answer struct {
	next     next
	record   record
	wait     time.Duration
	takeover bool // the claim is ours, and an earlier attempt may have its effect
}

// The claim is sent again for as long as a queue would wait anyway, and no longer
// than the lease; then the message stays on the queue.
const claimPatience = 5 * time.Second

// A takeover or hold that meets another worker's is decided anew from what the
// record then says. Each round somebody else has moved, so a few are enough.
const claimRounds = 5

// claim takes the operation for this delivery or says why not.
func (g *Guard) claim(ctx context.Context, c claimed, sent time.Time) (answer, error) {
	until := sent.Add(min(claimPatience, g.job.Lease))
	var r record
	var visible bool
	err := resend(ctx, until, func(ctx context.Context) (err error) {
		r, visible, err = g.records.claim(ctx, c)
		return err
	})
	doubt := false // we asked to take over a record whose effect may be out
	for round := 0; err == nil && visible; round++ {
		d := decide(r, c.token, c.print, g.job)
		if round == claimRounds && d.writes() {
			break
		}
		var stands bool
		if stands, err = g.writeDecision(ctx, until, c, r, d); stands {
			return answerTo(r, d, doubt), nil
		}
		// When only the reply of our takeover was lost, the record now shows our
		// own token, and the doubt about the earlier attempt is still there.
		doubt = doubt || d.next == nextTakeOver && r.acts > 0
		if err == nil {
			r, visible, err = g.sendRead(ctx, until, c.key)
		}
	}
	if err != nil {
		return answer{}, fmt.Errorf("claim operation: %w", err)
	}
	return answer{next: nextLive, record: r, wait: time.Second}, nil
}

func (g *Guard) sendRead(ctx context.Context, until time.Time, key string) (r record, visible bool, err error) {
	err = resend(ctx, until, func(ctx context.Context) (err error) {
		r, visible, err = g.records.read(ctx, key)
		return err
	})
	return r, visible, err
}

// writeDecision does what is due to a stale claim; true when the decision stands.
func (g *Guard) writeDecision(ctx context.Context, until time.Time, c claimed, r record, d decision) (done bool, err error) {
	var write func(context.Context) (bool, error)
	switch d.next {
	case nextTakeOver:
		write = func(ctx context.Context) (bool, error) { return g.records.takeOver(ctx, c, r, d.extra) }
	case nextHold:
		write = func(ctx context.Context) (bool, error) { return g.records.hold(ctx, c, r, d.reason) }
	case nextAssume:
		write = func(ctx context.Context) (bool, error) { return g.records.assume(ctx, c, r) }
	default:
		return true, nil
	}
	err = resend(ctx, until, func(ctx context.Context) (err error) {
		done, err = write(ctx)
		return err
	})
	return done, err
}

func answerTo(r record, d decision, doubt bool) answer {
	switch d.next {
	case nextTakeOver:
		return answer{next: nextAct, record: r, takeover: r.acts > 0}
	case nextAct:
		return answer{next: nextAct, record: r, takeover: doubt}
	case nextHold:
		r.holdReason = d.reason
		return answer{next: nextHeld, record: r}
	case nextAssume:
		r.completion = completionAssumed
		return answer{next: nextAssume, record: r}
	}
	return answer{next: d.next, record: r, wait: d.wait}
}
