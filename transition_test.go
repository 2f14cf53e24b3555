package twiceproof

import (
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// rec is an idempotency record as a small value, so that a world of them can be a
// key. Words are numbers of the lists below; times are ages in whole ticks, so that
// only the ticking of the clock makes two of the same differ.
type rec struct {
	state, policy, completion, reason       uint8
	token, by, made, message, result        int8 // 0: none
	age, lease, known                       int8 // since claimed_at and first_claimed_at
	acts, vanished, lookups, requeues       int8
	completedFor, heldFor, lateFor          int8
	requeuedFor, repeats, repeatedFor       int8
	resolver                                int8 // the person who decided
	hold                                    int8 // which hold of this record: what held_at tells apart
	givenUp, wasHeld, late, requeued, again bool // again: last_repeat_at is set
}

const (
	noRecord = iota
	isClaimed
	isCompleted
	isHeld
)

var (
	stateNames      = []string{"", stateClaimed, stateCompleted, stateHeld}
	policyNames     = []job.Policy{"", job.Hold, job.Lookup, job.Resend, job.AcceptDuplicate, job.AcceptMiss}
	completionNames = []string{"", completionActed, completionFound, completionAssumed, "resolved"}
	reasonNames     = []string{
		"", holdVanished, holdUnknown, holdTakeovers, holdLookups, holdWindow, holdActs, holdMode, holdRequeues, holdMessage, holdOther,
	}
	tokenNames = []string{
		"", "01010101010101010101010101010101", "02020202020202020202020202020202", "03030303030303030303030303030303",
		"04040404040404040404040404040404", "05050505050505050505050505050505", "06060606060606060606060606060606",
		"07070707070707070707070707070707", "08080808080808080808080808080808", "09090909090909090909090909090909",
	}
)

// number is where a word stands in its list.
func number[T comparable](names []T, word T) uint8 {
	i := slices.Index(names, word)
	if i < 0 {
		panic("a word that the model does not know")
	}
	return uint8(i)
}

func (r rec) stale() int8 { return r.age - r.lease }

// record is what a statement answers about it.
func (r rec) record(tick time.Duration) record {
	return record{
		state: stateNames[r.state], token: tokenNames[r.token], staleFor: time.Duration(r.stale()) * tick, acts: int(r.acts),
		givenUp: r.givenUp, vanished: int(r.vanished), lookups: int(r.lookups), policy: policyNames[r.policy],
		completion: completionNames[r.completion], holdReason: reasonNames[r.reason], knownFor: time.Duration(r.known) * tick,
	}
}

func (r rec) staleRecord(tick time.Duration) staleRecord {
	return staleRecord{
		record: r.record(tick), requeues: int(r.requeues), requeued: r.requeued, requeuedFor: time.Duration(r.requeuedFor) * tick,
	}
}

// verbName is one statement of dialect/.
type verbName uint8

const (
	vClaim verbName = iota
	vTakeOver
	vHold
	vAssume
	vActAgain
	vComplete
	vRelease
	vGiveUp
	vRenew
	vLateFinish
	vRequeue
	vRepeat
	vResolve
	vRunAgain
)

// verb is a statement with its parameters.
type verb struct {
	do                         verbName
	token, acts, requeues      int8 // as shown: what was read, or its own
	fresh                      int8 // the token that it writes
	lease, extra, pause        int8
	lookups, hold              int8
	policy, reason, completion uint8
	by, made, message, result  int8
	push                       bool // run again: its message is put back
}

// apply is the whole protocol's writing as a pure function: what a statement makes
// of a record, and whether it matched. The property test keeps it to the SQL.
func apply(r rec, v verb) (rec, bool) {
	if !matches(r, v) {
		return r, false
	}
	switch v.do {
	case vClaim:
		return rec{
			state: isClaimed, token: v.token, lease: v.lease, by: v.by, policy: v.policy, made: v.made, message: v.message, acts: 1,
		}, true
	case vTakeOver:
		if r.acts > 0 && !r.givenUp {
			r.vanished++
		}
		r.token, r.age, r.lease, r.by, r.policy = v.fresh, 0, v.lease, v.by, v.policy
		r.acts, r.givenUp = max(r.acts, 1), false
	case vHold:
		r.state, r.reason, r.policy = isHeld, v.reason, v.policy
		r.wasHeld, r.heldFor = true, 0
		r.hold++
	case vAssume:
		r = completed(r, number(completionNames, completionAssumed))
		r.policy = v.policy
	case vActAgain:
		r.acts = v.acts + 1
	case vComplete:
		r = completed(r, v.completion)
		r.result = v.result
	case vRelease:
		r.token, r.lease, r.givenUp = v.fresh, r.age, true
		r.acts--
	case vGiveUp:
		r.lease, r.givenUp = r.age+v.pause, true
		r.lookups += v.lookups
	case vRenew:
		r.lease = r.age + v.lease
	default:
		r = applyBeside(r, v)
	}
	return r, true
}

// applyBeside: the verbs that no claim's owner sends.
func applyBeside(r rec, v verb) rec {
	switch v.do {
	case vLateFinish:
		if !r.late {
			r.late, r.lateFor = true, 0
		}
	case vRequeue:
		r.requeues++
		r.requeued, r.requeuedFor = true, 0
	case vRepeat:
		r.repeats++
		r.again, r.repeatedFor = true, 0
	case vResolve:
		r = completed(r, number(completionNames, "resolved"))
		r.token, r.resolver = v.fresh, v.by
	case vRunAgain:
		r.state, r.token, r.acts, r.age, r.lease, r.givenUp, r.resolver = isClaimed, v.fresh, v.acts, 0, 0, v.acts > 0, v.by
		r.vanished, r.lookups, r.requeues, r.requeued, r.requeuedFor = 0, 0, 0, v.push, 0
	}
	return r
}

func completed(r rec, completion uint8) rec {
	if r.completion != completion {
		r.completedFor = 0
	}
	r.state, r.completion, r.message = isCompleted, completion, 0
	return r
}

// matches is each statement's WHERE.
func matches(r rec, v verb) bool {
	claimed, mine := r.state == isClaimed, r.token == v.token
	switch {
	case v.do == vClaim:
		return r.state == noRecord
	case r.state == noRecord:
		return false
	}
	switch v.do {
	case vTakeOver:
		return mine && claimed && r.acts == v.acts && r.stale() >= v.extra
	case vHold:
		undoubted := v.reason == number(reasonNames, holdMode) || v.reason >= number(reasonNames, holdRequeues)
		return mine && claimed && r.acts == v.acts && (r.acts > 0 || undoubted) && r.stale() >= 0
	case vAssume:
		return mine && claimed && r.acts == v.acts && r.acts > 0 && r.stale() >= 0
	case vActAgain:
		return mine && claimed && (r.acts == v.acts || r.acts == v.acts+1)
	case vComplete:
		assumed := number(completionNames, completionAssumed)
		return mine && (r.state != isCompleted || r.completion == assumed || r.completion == v.completion)
	case vRelease:
		return mine && claimed && r.acts > 0
	case vGiveUp, vRenew:
		return mine && claimed && !r.givenUp
	case vLateFinish:
		return !mine
	case vRequeue:
		return mine && claimed && r.acts == v.acts && r.requeues == v.requeues && r.stale() >= v.extra
	case vRepeat:
		return r.state == isCompleted && (!r.again || r.repeatedFor > 0)
	case vResolve, vRunAgain:
		return mine && r.state == isHeld && r.hold == v.hold
	}
	return false
}

// tick lets the clock go on.
func tick(r rec, ticks int8) rec {
	if r.state == noRecord {
		return r
	}
	add := func(age *int8, is bool) {
		if is {
			*age += ticks
		}
	}
	add(&r.age, true)
	add(&r.known, true)
	add(&r.completedFor, r.completion != 0)
	add(&r.heldFor, r.wasHeld)
	add(&r.lateFor, r.late)
	add(&r.requeuedFor, r.requeued)
	add(&r.repeatedFor, r.again)
	return r
}
