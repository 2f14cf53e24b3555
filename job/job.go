package job

import "time"

// Job is one job type as its owner wrote it down. The zero value is not a
// valid job; see Validate.
type Job struct {
	// Type is the job_type of the idempotency record: an explicit name of 1 to
	// 64 bytes, never a class name, so that a renamed class keeps its history.
	Type string
	// Queue is the queue system the job runs on.
	Queue Queue
	// Message is the task name, worker class or queue name that carries the job.
	Message   string
	Operation Operation
	Effect    Effect
	// LongestRun is the longest normal run time of the job.
	LongestRun time.Duration
	// Lease is how long a claim is good for. A worker stops acting when it ends.
	Lease time.Duration
	Stale Stale
	// StoreMessage keeps the delivery in the record, so that the operation can
	// be put back on the queue when the queue has lost it.
	StoreMessage bool
	// Retention is how long a completed record is kept; 0 means it has not been
	// agreed yet.
	Retention time.Duration
}

// Operation says how one business operation is recognised.
type Operation struct {
	// Key is one or more paths into the message.
	Key []Path
	// Repeat says in plain words what counts as a repeat.
	Repeat string
	// Fingerprint names the fields that must not differ between two deliveries
	// of one operation. Empty means that nothing is compared.
	Fingerprint []Path
}

// Effect is the change that the job exists for.
type Effect struct {
	Kind EffectKind
	// What names the effect in plain words, such as "a charge at the payment
	// service".
	What string
}

// Stale is the written policy for a stale claim.
type Stale struct {
	Policy Policy
	// Settle is how long the outside service may need until a look-up shows a
	// call that it has received. Only under Lookup.
	Settle time.Duration
	// ReferenceWindow is how long the outside service remembers a reference.
	// Only under Resend.
	ReferenceWindow time.Duration
	// MaxTakeovers bounds the workers that may vanish holding one operation's
	// claim; after that the operation is held. 0 means DefaultMaxTakeovers.
	MaxTakeovers int
	// MaxLookups bounds the look-ups without an answer; after that the operation
	// is held. 0 means DefaultMaxLookups.
	MaxLookups int
}

// The budgets of a job that names none.
const (
	DefaultMaxTakeovers = 5
	DefaultMaxLookups   = 5
)

// Queue is a queue system.
type Queue string

// The queue systems.
const (
	SQS     Queue = "sqs"
	Celery  Queue = "celery"
	Sidekiq Queue = "sidekiq"
	RQ      Queue = "rq"
)

// EffectKind is where the effect happens.
type EffectKind string

// The kinds of effect.
const (
	// OwnRow is a row in the application's own database.
	OwnRow EffectKind = "own_row"
	// Outside is a call to another system.
	Outside EffectKind = "outside"
)

// Policy is what a stale claim leads to when its effect may be out.
type Policy string

// The policies.
const (
	// Lookup takes over, asks the outside service, and acts only when it says
	// that the effect is absent.
	Lookup Policy = "lookup"
	// Resend takes over and sends again with the stored reference.
	Resend Policy = "resend"
	// Hold leaves the operation for a person.
	Hold Policy = "hold"
	// AcceptDuplicate takes over and acts once more.
	AcceptDuplicate Policy = "accept_duplicate"
	// AcceptMiss takes the effect as done.
	AcceptMiss Policy = "accept_miss"
)

// StoredLease is the lease as the record keeps it. Under Lookup it is longer
// than the worker's own by the settle time, so that a look-up comes only when
// the service has had its time to show a call made at the last moment.
func (j Job) StoredLease() time.Duration {
	if j.Stale.Policy == Lookup {
		return j.Lease + j.Stale.Settle
	}
	return j.Lease
}
