package twiceproof

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// SweepOptions say what a sweep may do. The zero value only looks.
type SweepOptions struct {
	// Apply lets the sweep change records and put messages back.
	Apply bool
	// PutBack puts a stored message on the queue; Apply needs it.
	PutBack func(ctx context.Context, message []byte) error
	// Fields reads a stored message as its delivery would be read. A message that is
	// not of its own record is then held, not put back. nil: it is not compared.
	Fields func(message []byte) (job.Fields, error)
	// Each is told of every claim that was, or would be, acted on; may be nil.
	Each func(Swept)
}

// Swept is what a sweep did, or would do, about one stale claim.
type Swept struct {
	Key string
	// Action is hold, assume or put_back.
	Action string
	// Reason is the hold's, or why the claim is stale: worker_vanished,
	// unknown_outcome or released.
	Reason string
	// Stale is how long the claim has been stale, Age the time since the operation
	// was first claimed, both by the database's clock.
	Stale, Age time.Duration
	// Done is set when it was done.
	Done bool
	// Err says why nobody can tell whether it was. A message that was not put back
	// is due again after a lease.
	Err error
}

// SweepReport counts what a sweep did, or would do.
type SweepReport struct {
	Held, Assumed, PutBack int
	// Failed are those with Err.
	Failed int
	// Waiting are stale claims whose message may still come back by itself, as one
	// that was put back less than a lease ago.
	Waiting int
	// Moved are those on which somebody else acted in the same moment.
	Moved int
}
