package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Operation is what the job's body is given: the operation to perform now.
type Operation struct {
	// Key is the operation key.
	Key string
	// Reference is what to give the outside service: a pure function of job type
	// and key, stored by the first claim and the same in every attempt.
	Reference string
	// Body is the delivery's payload as the caller handed it to Run.
	Body []byte

	acts   int
	result []byte
	lease  *leaseContext
	renew  func(context.Context) error
}

// Deadline is when the effect must have been made; after it another worker may
// take over. Renew moves it.
func (op *Operation) Deadline() time.Time {
	deadline, _ := op.lease.Deadline()
	return deadline
}

// Check is to be called just before the effect. It returns an error, which the
// body must return, when it is too late to act: then nothing was applied, and a
// later delivery will act.
func (op *Operation) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return NotApplied(context.Cause(ctx))
	}
	if !time.Now().Before(op.Deadline()) {
		return NotApplied(ErrDeadline)
	}
	return nil
}

// Renew makes the claim good for another lease from now. It is for a long act of
// several steps, called by the job itself between them; a background renewal
// would keep a hung job alive for ever. An error means that the claim is not good
// for longer than it was: do not start another step.
func (op *Operation) Renew(ctx context.Context) error {
	if op.renew == nil {
		return errors.New("renew claim: a transaction's claim has nothing to renew")
	}
	if err := op.renew(ctx); err != nil {
		return fmt.Errorf("renew claim: %w", err)
	}
	return nil
}

// SetResult keeps what a repeat is to be answered with, such as the number of
// the charge. A result over 64 KiB is dropped and logged; it never
// fails the completion.
func (op *Operation) SetResult(result []byte) { op.result = result }

// In bytes. A message of Amazon SQS has at most 1 MiB (256 KiB before August 2025);
// within JSON its quotes and brackets take more. A longer one is not stored.
const (
	maxResult  = 64 << 10
	maxMessage = 4 << 20
)

// maxRenewal bounds how long one claim can be kept by Renew, in leases.
const maxRenewal = 10

// leaseContext ends at a deadline that can be moved.
type leaseContext struct {
	context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer

	mu  sync.Mutex
	end time.Time
}

func untilLeaseEnds(ctx context.Context, end time.Time) *leaseContext {
	inner, cancel := context.WithCancelCause(ctx)
	c := &leaseContext{Context: inner, cancel: cancel, end: end}
	c.timer = time.AfterFunc(time.Until(end), func() { cancel(ErrDeadline) })
	return c
}

// Deadline is the end of the lease or of the caller's own context, whichever is
// earlier.
func (c *leaseContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if outer, ok := c.Context.Deadline(); ok && outer.Before(c.end) {
		return outer, true
	}
	return c.end, true
}

// move gives the lease another end; false when it has ended already.
func (c *leaseContext) move(end time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.timer.Stop() {
		return false
	}
	c.end = end
	c.timer.Reset(time.Until(end))
	return true
}

func (c *leaseContext) stop() {
	c.timer.Stop()
	c.cancel(nil)
}
