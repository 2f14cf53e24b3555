package twiceproof

import (
	"database/sql"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// The states of a record.
const (
	stateClaimed   = "claimed"
	stateCompleted = "completed"
	stateHeld      = "held"
)

// record is an idempotency record as one statement saw it.
type record struct {
	state       string
	token       string
	staleFor    time.Duration // by the database's clock; negative while the claim is live
	acts        int
	givenUp     bool
	vanished    int
	lookups     int
	policy      job.Policy
	fingerprint job.Fingerprint
	reference   string
	result      []byte
	completion  string
	holdReason  string
	knownFor    time.Duration // since the operation was first claimed
	repeatDue   bool          // a repeat may be counted again
}

func scanRecord(row interface{ Scan(...any) error }) (record, error) {
	var r record
	var staleMS, knownMS int64
	var policy, fields, reference, completion, reason sql.NullString
	err := row.Scan(&r.state, &r.token, &staleMS, &r.acts, &r.givenUp, &r.vanished, &r.lookups, &policy,
		&r.fingerprint.Sum, &fields, &reference, &r.result, &completion, &reason, &knownMS, &r.repeatDue)
	r.staleFor = time.Duration(staleMS) * time.Millisecond
	r.knownFor = time.Duration(knownMS) * time.Millisecond
	r.policy = job.Policy(policy.String)
	r.fingerprint.Fields = fields.String
	r.reference, r.completion, r.holdReason = reference.String, completion.String, reason.String
	return r, err
}
