package twiceproof

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// next is what a delivery does about the record it found.
type next string

const (
	nextAct       next = "act"       // the claim is ours, with no doubt about an earlier attempt
	nextTakeOver  next = "take_over" // stale: claim it
	nextHold      next = "hold"      // stale, and the policy or a budget says: a person
	nextAssume    next = "assume"    // stale, and the policy says: taken as done
	nextLive      next = "live"
	nextCompleted next = "completed"
	nextHeld      next = "held"
	nextMismatch  next = "mismatch"
)

// The reasons a record is held for.
const (
	holdVanished  = "worker_vanished"
	holdUnknown   = "unknown_outcome"
	holdTakeovers = "max_takeovers"
	holdLookups   = "max_lookups"
	holdWindow    = "reference_window"
	holdActs      = "max_acts"
	holdMode      = "mode_changed"
	holdBody      = "body_ended_transaction"
)

// decision is the next step and what it needs.
type decision struct {
	next   next
	reason string        // of a hold
	wait   time.Duration // live: until the claim is stale
	extra  time.Duration // take_over: beyond the stored lease
}

// writes tells whether the decision stands only when its write finds the record as
// it was read.
func (d decision) writes() bool {
	return d.next == nextTakeOver || d.next == nextHold || d.next == nextAssume
}

// decide is the whole protocol for a record that is there. token is the one that
// this delivery claims with, print the fingerprint of its message.
func decide(r record, token string, print job.Fingerprint, j job.Job) decision {
	switch {
	case print.Differs(r.fingerprint):
		return decision{next: nextMismatch}
	case r.state == stateCompleted:
		return decision{next: nextCompleted}
	case r.state == stateHeld:
		return decision{next: nextHeld}
	case r.token == token:
		// The reply of our own claim was lost.
		return decision{next: nextAct}
	}
	extra := settleStillToWait(r, j)
	if r.staleFor < extra {
		return decision{next: nextLive, wait: extra - r.staleFor}
	}
	if r.acts == 0 {
		return decision{next: nextTakeOver}
	}
	if reason := holdReason(r, j); reason != "" {
		return decision{next: nextHold, reason: reason}
	}
	if j.Stale.Policy == job.AcceptMiss {
		return decision{next: nextAssume}
	}
	return decision{next: nextTakeOver, extra: extra}
}

// settleStillToWait: a claim made while the job had another policy has a lease
// without the settle time, so a look-up right at its end could come too early.
func settleStillToWait(r record, j job.Job) time.Duration {
	if j.Stale.Policy == job.Lookup && r.policy != job.Lookup && r.acts > 0 {
		return j.Stale.Settle
	}
	return 0
}

// holdReason says why a stale claim waits for a person, or nothing. Budgets are
// per operation: they are read from its record.
func holdReason(r record, j job.Job) string {
	s := j.Stale
	vanished := r.vanished
	if !r.givenUp {
		vanished++
	}
	switch {
	case s.Policy == job.Hold && r.givenUp:
		return holdUnknown
	case s.Policy == job.Hold:
		return holdVanished
	case vanished > orDefault(s.MaxTakeovers, job.DefaultMaxTakeovers):
		return holdTakeovers
	case s.Policy == job.Lookup && r.lookups >= orDefault(s.MaxLookups, job.DefaultMaxLookups):
		return holdLookups
	case s.Policy == job.Resend && r.knownFor+j.Lease > s.ReferenceWindow:
		// By the end of the new lease the service may have forgotten the reference.
		return holdWindow
	case s.Policy == job.AcceptDuplicate && r.acts >= 2:
		return holdActs
	}
	return ""
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// lookUpPause is how long a claim rests after a look-up without an answer: at
// least the settle time, doubling from a second, at most the lease.
func lookUpPause(lookups int, j job.Job) time.Duration {
	pause := time.Second << min(lookups, 16)
	return max(j.Stale.Settle, min(pause, j.Lease))
}
