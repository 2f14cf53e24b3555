package twiceproof

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// What a sweep does beside what a delivery does.
const (
	nextPutBack next = "put_back" // a delivery would take it over: bring it one
	nextWait    next = "wait"     // its message may still come by itself
)

// The reasons a record is held for by the sweep alone.
const (
	holdRequeues = "max_requeues"
	holdMessage  = "no_message"
	holdOther    = "other_message"
)

// staleReleased is the reason for putting back a message without any doubt.
const staleReleased = "released"

// staleRecord is a record as a sweep saw it.
type staleRecord struct {
	record
	key         string
	requeues    int
	requeued    bool
	requeuedFor time.Duration // since it was last put back
}

// decideStale is what a sweep does about a record: what a delivery would do, and
// where that were a takeover, the message is put back.
//
// A redelivery that is on its way decides more than a sweep can. So a message whose
// last holder released its claim or gave it up has a lease to come back by itself, one
// that was put back likewise, and a person is only asked for what no delivery has
// decided for a lease.
func decideStale(r staleRecord, j job.Job) decision {
	d := decide(r.record, "", job.Fingerprint{}, j)
	if j.Effect.Kind == job.OwnRow {
		d = decideOwnRow(r.record, job.Fingerprint{})
	}
	switch {
	case d.next != nextTakeOver:
		return d
	case r.requeued && r.requeuedFor < j.Lease:
		return decision{next: nextWait}
	case r.requeues >= orDefault(j.Stale.MaxTakeovers, job.DefaultMaxTakeovers):
		return holdLater(r, j, holdRequeues)
	case r.givenUp && r.staleFor < j.Lease:
		return decision{next: nextWait}
	}
	return decision{next: nextPutBack, reason: staleReason(r.record), extra: d.extra}
}

// decideMessage is the same when the stored message has been read. fields are nil
// when it is not to be compared.
func decideMessage(r staleRecord, d decision, stored bool, fields job.Fields, unreadable error, j job.Job) decision {
	switch {
	case !stored:
		return holdLater(r, j, holdMessage)
	case unreadable != nil || fields != nil && !isOf(r, fields, j.Operation):
		return holdLater(r, j, holdOther)
	}
	return d
}

// isOf tells whether a delivery of the message would find this very record, and
// match it.
func isOf(r staleRecord, fields job.Fields, o job.Operation) bool {
	key, err := o.KeyOf(fields)
	if err != nil || key != r.key {
		return false
	}
	print, err := o.FingerprintOf(fields)
	return err == nil && !print.Differs(r.fingerprint)
}

func holdLater(r staleRecord, j job.Job, reason string) decision {
	if r.staleFor < j.Lease {
		return decision{next: nextWait}
	}
	return decision{next: nextHold, reason: reason}
}

// staleReason says why a claim is stale.
func staleReason(r record) string {
	switch {
	case r.acts == 0:
		return staleReleased
	case r.givenUp:
		return holdUnknown
	}
	return holdVanished
}
