package twiceproof

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func (b *batchRun) prepareAll(batch []Delivery) {
	seen := map[string]bool{}
	for i, d := range batch {
		it := &batchItem{index: i, Delivery: d}
		b.items = append(b.items, it)
		var err error
		if b.job.Effect.Kind != job.Outside {
			err = fmt.Errorf("job %s: effect %q is guarded by RunTx", b.job.Type, b.job.Effect.Kind)
		} else if it.claimed, err = b.prepare(d); err == nil {
			it.second = seen[it.key]
			seen[it.key] = true
			continue
		}
		it.known = &Ended{Index: i, Failure: err}
	}
}

// toClaim are the deliveries whose claims are to be made; none once ctx has ended.
func (b *batchRun) toClaim(ctx context.Context) (wanted []*batchItem) {
	for _, it := range b.items {
		if it.known == nil && ctx.Err() != nil {
			it.known = &Ended{Index: it.index, Result: Result{Key: it.key}, Failure: ctx.Err()}
		}
		if it.known == nil && !it.second {
			wanted = append(wanted, it)
		}
	}
	return wanted
}

// claimAll claims the operations that have no record.
func (b *batchRun) claimAll(ctx context.Context) {
	wanted := b.toClaim(ctx)
	// Under accept_miss a claim is taken as done once it is stale: one that was made
	// together with others, and never begun, would be missed for their sake.
	if len(wanted) == 0 || b.job.Stale.Policy == job.AcceptMiss {
		return
	}
	slices.SortFunc(wanted, func(a, b *batchItem) int { return cmp.Compare(a.key, b.key) })
	wanted = withinOneStatement(wanted)
	claims := make([]claimed, len(wanted))
	for i, it := range wanted {
		claims[i] = it.claimed
	}
	sent := time.Now()
	until := sent.Add(min(claimPatience, b.job.Lease))
	var seen map[string]record
	err := resend(context.WithoutCancel(ctx), until, func(ctx context.Context) (err error) {
		seen, err = b.records.claimAll(ctx, claims)
		return err
	})
	for _, it := range wanted {
		b.takeAnswer(ctx, it, seen, sent, err)
	}
}

// batchBytes of messages go into one statement, well below what servers take at most
// (MariaDB by default 16 MiB, as base64 within JSON). The rest is claimed in its turn.
const batchBytes = 4 << 20

func withinOneStatement(wanted []*batchItem) []*batchItem {
	bytes := 0
	for i, it := range wanted {
		if bytes += len(it.message); bytes > batchBytes {
			return wanted[:i]
		}
	}
	return wanted
}

// takeAnswer is for one operation. One that the answer does not show, or a list
// that the database refused because of another in it, is claimed alone, with the
// same token: an earlier sending may have done it already.
func (b *batchRun) takeAnswer(ctx context.Context, it *batchItem, seen map[string]record, sent time.Time, err error) {
	r, ok := seen[it.key]
	var a answer
	switch {
	case err != nil && mayChange(err):
		err = fmt.Errorf("claim operation: %w", err)
	case err != nil || !ok:
		r, ok, err = b.claimAlone(ctx, it, sent)
	}
	if err == nil && ok {
		d := decide(r, it.token, it.print, b.job)
		if d.writes() {
			return // by Run, in its turn
		}
		a = answerTo(r, d, false)
	}
	switch {
	case err == nil && !ok:
		return // by Run, in its turn
	case err != nil:
		it.known = &Ended{Index: it.index, Result: Result{Key: it.key}, Failure: err}
	case a.next == nextAct:
		mine := b.attempt(ctx, it.claimed, a, it.Delivery, sent)
		it.mine = &mine
	default:
		it.known, it.at = &Ended{Index: it.index, Result: b.skip(it.claimed, a)}, time.Now()
	}
}

func (b *batchRun) claimAlone(ctx context.Context, it *batchItem, sent time.Time) (r record, visible bool, err error) {
	err = resend(context.WithoutCancel(ctx), sent.Add(min(claimPatience, b.job.Lease)), func(ctx context.Context) (err error) {
		r, visible, err = b.records.claim(ctx, it.claimed)
		return err
	})
	if err != nil {
		err = fmt.Errorf("claim operation: %w", err)
	}
	return r, visible, err
}
