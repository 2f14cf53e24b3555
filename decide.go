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
)

// decision is the next step and what it needs.
type decision struct {
	next   next
	reason string        // of a hold
	wait   time.Duration // live: until the claim is stale
	extra  time.Duration // take_over: beyond the stored lease
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
	if reason := holdReason(r, j.Stale); reason != "" {
		return decision{next: nextHold, reason: reason}
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

func holdReason(r record, s job.Stale) string {
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
	case r.lookups >= orDefault(s.MaxLookups, job.DefaultMaxLookups):
		return holdLookups
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
