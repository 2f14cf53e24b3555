package twiceproof

import (
	"context"
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
	// Deadline is when the effect must have been made; after it another worker
	// may take over.
	Deadline time.Time

	token  string
	acts   int
	result []byte
}

// Check is to be called just before the effect. It returns an error, which the
// body must return, when it is too late to act: then nothing was applied, and a
// later delivery will act.
func (op *Operation) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return NotApplied(context.Cause(ctx))
	}
	if !time.Now().Before(op.Deadline) {
		return NotApplied(ErrDeadline)
	}
	return nil
}

// SetResult keeps what a repeat is to be answered with, such as the number of
// the charge. A result over MaxResult bytes is dropped and logged; it never
// fails the completion.
func (op *Operation) SetResult(result []byte) { op.result = result }

// MaxResult and MaxMessage are in bytes. A message of Amazon SQS has at most
// 1 MiB (256 KiB before August 2025); a longer one is not stored.
const (
	MaxResult  = 64 << 10
	MaxMessage = 1 << 20
)
