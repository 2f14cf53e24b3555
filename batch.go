package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Ended is one delivery of a batch whose end is known.
type Ended struct {
	// Index is the delivery's place in the batch.
	Index int
	Result
	// Failure is the error that Run would have returned.
	Failure error
}

// ErrNotReached is the cause of a release without an act: the delivery's lease was
// over before its turn came, an earlier one of its group could not be acknowledged,
// or a completion of its batch failed. Nothing is wrong with its message.
var ErrNotReached = errors.New("the batch did not reach this delivery")

// RunBatch is Run for several deliveries: their claims are made in one commit,
// then the acts one after another, then their completions in one commit. done is
// told of each delivery once its end is stored, from one goroutine at a time.
//
// Only claims of operations without a record, and completions, go together. All
// else goes one by one and in its turn, as by Run. Of two deliveries of one
// operation the second never acts: it gets what the record says after the first.
//
// The price: all claims count from the start, so a worker that dies in the middle
// leaves every claim of the batch to the policy, acted on or not. (Not under
// accept_miss: there each is claimed in its turn.) The acts share
// one lease; one whose turn comes after it is released unacted. Completions wait
// for the batch, but no longer than a second: an act that hangs or panics does not
// take those of the others with it. Once a completion is known to have failed no
// further act begins: the rest is released unacted. What acted until then has acted,
// also in the same group.
func (g *Guard) RunBatch(ctx context.Context, batch []Delivery, act Act, done func(...Ended)) {
	b := &batchRun{Guard: g, body: act, done: done, ending: make(gate, 1)}
	b.prepareAll(batch)
	b.claimAll(ctx)
	defer b.finish(ctx) // also when an act panics
	for _, it := range b.items {
		if it.known != nil && it.Group == "" { // its message need not wait for the acts
			b.turn(ctx, it)
		}
	}
	for _, it := range b.items {
		if it.ended {
			continue
		}
		if !b.goesOn() {
			return // and finish leaves the rest
		}
		b.turn(ctx, it)
	}
}

// batchRun is one batch on its way.
type batchRun struct {
	*Guard
	body  Act
	done  func(...Ended)
	items []*batchItem

	ending gate // held while completions are stored and done is told

	mu    sync.Mutex
	acted []*batchItem // whose completion is due
	timer *time.Timer
	fires time.Time      // when the timer does
	stop  bool           // a completion failed
	late  sync.WaitGroup // completions that the timer started
}

// gate is a mutex on which the clock of a test can see a goroutine wait.
type gate chan struct{}

func (g gate) Lock()   { g <- struct{}{} }
func (g gate) Unlock() { <-g }

type batchItem struct {
	index int
	Delivery
	claimed
	mine   *attempt // our claim
	second bool     // an earlier one is of the same operation
	known  *Ended   // what was decided without an act
	at     time.Time
	ended  bool // its turn has come, or will not come
}

// turn brings one delivery to its end, or as far as its completion.
func (b *batchRun) turn(ctx context.Context, it *batchItem) {
	it.ended = true
	switch {
	case it.known != nil:
		result := it.known.Result
		result.RetryAfter = max(0, result.RetryAfter-time.Since(it.at))
		b.end(ctx, it, result, it.known.Failure)
	case it.second:
		b.completeActed(ctx)
		result, err := b.look(ctx, it)
		b.end(ctx, it, result, err)
	case it.mine == nil:
		result, err := b.Run(ctx, it.Delivery, b.body)
		b.end(ctx, it, result, err)
	case it.mine.takeover:
		result, err := b.perform(ctx, *it.mine, b.body)
		b.end(ctx, it, result, err)
	default:
		b.act(ctx, it, *it.mine)
	}
}

// act is Guard.act without the completion.
func (b *batchRun) act(ctx context.Context, it *batchItem, a attempt) {
	defer a.op.lease.stop()
	if late := a.op.Check(a.op.lease); late != nil {
		result, err := b.release(ctx, a, fmt.Errorf("%w: %w", ErrNotReached, late))
		b.end(ctx, it, result, err)
		return
	}
	applied, result, err := b.enter(ctx, a, b.body)
	if applied {
		b.completeLater(ctx, it)
		return
	}
	b.end(ctx, it, result, err)
}

// look is for the second delivery of an operation: what the record says, and live
// for whatever would need a claim.
func (b *batchRun) look(ctx context.Context, it *batchItem) (Result, error) {
	until := time.Now().Add(min(claimPatience, b.job.Lease))
	r, visible, err := b.sendRead(context.WithoutCancel(ctx), until, it.key)
	if err != nil {
		return Result{Key: it.key}, fmt.Errorf("read record: %w", err)
	}
	if d := decide(r, it.token, it.print, b.job); visible && !d.writes() {
		return b.skip(it.claimed, answerTo(r, d, false)), nil
	}
	return b.skip(it.claimed, answer{next: nextLive, record: r, wait: time.Second}), nil
}
