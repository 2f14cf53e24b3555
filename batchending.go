package twiceproof

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A completion waits for others of its batch, and no longer than this: the next act
// may hang, and until it is stored nobody knows of the effect. Near the end of its
// lease it waits for half of what is left.
const completionWait = time.Second

// completeLater keeps an act that returned for the batch's one completion.
func (b *batchRun) completeLater(ctx context.Context, it *batchItem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := max(0, min(completionWait, b.job.Lease/4, time.Until(it.mine.op.Deadline())/2))
	fires := time.Now().Add(wait)
	b.acted = append(b.acted, it)
	if len(b.acted) > 1 {
		if fires.Before(b.fires) && b.timer.Stop() { // the earlier ones have renewed
			b.timer.Reset(wait)
			b.fires = fires
		}
		return
	}
	b.fires = fires
	b.late.Add(1)
	b.timer = time.AfterFunc(wait, func() {
		defer b.late.Done()
		b.completeActed(ctx)
	})
}

// completeActed stores what is to be completed, in one commit. It returns after
// those that another call has taken are stored as well.
func (b *batchRun) completeActed(ctx context.Context) {
	b.ending.Lock()
	defer b.ending.Unlock()
	b.mu.Lock()
	due := b.acted
	b.acted = nil
	if len(due) > 0 && b.timer.Stop() {
		b.late.Done()
	}
	b.mu.Unlock()
	if len(due) == 0 {
		return
	}
	ended := b.completeAll(ctx, due)
	for _, e := range ended {
		if e.Failure != nil || !e.Acknowledge() {
			b.stopActing()
		}
	}
	b.done(ended...)
}

func (b *batchRun) stopActing() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = true
}

// goesOn tells whether another act may begin. It waits for completions that are on
// their way: while the database does not answer, none begins.
func (b *batchRun) goesOn() bool {
	b.ending.Lock()
	defer b.ending.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.stop
}

func (b *batchRun) completeAll(ctx context.Context, due []*batchItem) []Ended {
	// In the order of the claims, so that two batches never wait for each other.
	slices.SortStableFunc(due, func(a, b *batchItem) int { return cmp.Compare(a.key, b.key) })
	all := make([]finished, len(due))
	for i, it := range due {
		all[i] = finished{it.claimed, b.resultOf(it.mine.op)}
	}
	var done map[string]bool
	var err error
	if len(all) > 1 {
		err = resend(context.WithoutCancel(ctx), firstDeadline(due), func(ctx context.Context) (err error) {
			done, err = b.records.completeAll(ctx, all, completionActed)
			return err
		})
	}
	ended := make([]Ended, len(due))
	for i, it := range due {
		ended[i] = b.completed(ctx, it, all[i], done, err)
	}
	return ended
}

// firstDeadline is until when their completion is sent again.
func firstDeadline(due []*batchItem) time.Time {
	until := due[0].mine.op.Deadline()
	for _, it := range due {
		if end := it.mine.op.Deadline(); end.Before(until) {
			until = end
		}
	}
	if least := time.Now().Add(writePatience); least.After(until) {
		return least
	}
	return until
}

// completed is the end of one. One that could not be completed with the others, or
// whose others could not be, is completed alone.
func (b *batchRun) completed(ctx context.Context, it *batchItem, f finished, done map[string]bool, err error) Ended {
	ended := Ended{Index: it.index, Result: Result{Key: it.key, Deadline: it.mine.op.Deadline()}}
	switch {
	case err != nil && mayChange(err):
		ended.Failure = fmt.Errorf("complete operation: %w", err)
	case err != nil || !done[it.key]:
		ended.Result, ended.Failure = b.complete(ctx, *it.mine, completionActed)
	default:
		b.log.Info("completed", "key", it.key, "token", it.token, "completion", completionActed)
		ended.Outcome, ended.Completion, ended.Value = Completed, completionActed, f.result
	}
	return ended
}

// end tells of one delivery. When its message must come again, the later ones of
// its group end with it, unacted: they are told first, the last before the others,
// so that they are back when it comes.
func (b *batchRun) end(ctx context.Context, it *batchItem, result Result, err error) {
	ended := []Ended{{Index: it.index, Result: result, Failure: err}}
	if it.Group != "" && (err != nil || !result.Acknowledge()) {
		for _, later := range b.items[it.index+1:] {
			if later.Group == it.Group && !later.ended {
				ended = append(ended, b.leave(ctx, later))
			}
		}
		slices.Reverse(ended)
	}
	b.tell(ended)
}

func (b *batchRun) tell(ended []Ended) {
	b.ending.Lock()
	defer b.ending.Unlock()
	for _, e := range ended {
		if e.Failure != nil && !e.Deadline.IsZero() { // it had a claim, whose end is not stored
			b.stopActing()
		}
	}
	b.done(ended...)
}

// leave ends a delivery unacted.
func (b *batchRun) leave(ctx context.Context, it *batchItem) Ended {
	it.ended = true
	result := Result{Outcome: Released, Key: it.key, Err: ErrNotReached}
	if it.mine != nil {
		it.mine.op.lease.stop()
		if it.mine.takeover { // an earlier attempt's effect may be out
			result, _ = b.giveUp(ctx, *it.mine, ErrNotReached, 0)
		} else {
			result, _ = b.release(ctx, *it.mine, ErrNotReached)
		}
	}
	return Ended{Index: it.index, Result: result}
}

// finish leaves no claim behind that was not begun, which there is when an act did
// not return or a completion failed, and stores what is still to be completed. The
// last is left first, as in end.
func (b *batchRun) finish(ctx context.Context) {
	b.completeActed(ctx)
	var left []Ended
	for _, it := range slices.Backward(b.items) {
		if !it.ended {
			left = append(left, b.leave(ctx, it))
		}
	}
	if len(left) > 0 {
		b.tell(left)
	}
	b.late.Wait()
}
