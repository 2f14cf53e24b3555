package twiceproof

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Delivery is one hand-over of a message to this worker.
type Delivery struct {
	// Fields is the decoded message: the operation key and the fingerprint are
	// read from it, once, before acting.
	Fields job.Fields
	// Body is the payload, for the job's own use.
	Body []byte
	// Message is the whole message in the form in which it can be put on the queue
	// again. It is stored with the claim unless the job says store_message: false.
	Message []byte
	// Group is only for RunBatch: those of one group act in their order, and none
	// begins after one whose message is known to have to come again. Completions
	// follow the acts: those that acted before the first completion failed have acted.
	// Empty means none.
	Group string
}

// Outcome is what came of a delivery.
type Outcome string

// The outcomes.
const (
	// Completed: the effect is there, made or found by this delivery or, when
	// Result.Repeat is set, by an earlier one.
	Completed Outcome = "completed"
	// Live: another worker holds the claim. Deliver again after RetryAfter.
	Live Outcome = "live"
	// Held: the operation waits for a person; the record keeps the case.
	Held Outcome = "held"
	// Mismatch: same key, other content. Nothing was done; let the queue's own
	// error path have it.
	Mismatch Outcome = "mismatch"
	// Released: definitely not applied. A later delivery acts again.
	Released Outcome = "released"
	// GivenUp: nobody can tell whether the effect happened. A later delivery
	// follows the policy, after RetryAfter.
	GivenUp Outcome = "given_up"
	// Lost: the claim was another worker's by the time this one had acted. A
	// second effect may exist; the record says so.
	Lost Outcome = "lost"
)

// Result is what came of a delivery, for the consumer to act upon.
type Result struct {
	Outcome Outcome
	// Key is the operation key.
	Key string
	// Repeat is set when the operation was completed before this delivery.
	Repeat bool
	// Completion says how the operation was completed: acted, found, assumed,
	// resolved or backfilled.
	Completion string
	// Value is the stored result of a completed operation, when it has one.
	Value []byte
	// RetryAfter is how long a redelivery has nothing to do.
	RetryAfter time.Duration
	// Deadline is the end of the lease of this delivery's own claim; zero when it
	// had none.
	Deadline time.Time
	// Err is what the body or the look-up returned when it did not succeed.
	Err error

	decided bool // Lost: the record is completed or held by now
}

// Acknowledge tells whether the queue may forget the message: only when the
// operation is completed, or held with the message in its record.
func (r Result) Acknowledge() bool {
	return r.Outcome == Completed || r.Outcome == Held || r.Outcome == Lost && r.decided
}
