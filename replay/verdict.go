package replay

import (
	"fmt"
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// The verdicts.
const (
	OK            = "ok"
	Violation     = "violation"
	Unknown       = "unknown"
	NotApplicable = "not_applicable"
)

// The kinds of a violation.
const (
	Duplicate     = "duplicate"      // the effect happened more often than permitted
	Lost          = "lost"           // it did not happen, and nothing will make it
	Stuck         = "stuck"          // the queue keeps the message, and nothing comes of it
	Blocked       = "blocked"        // a worker waits without end
	AgainstPolicy = "against_policy" // not a repeat, but not what was agreed either
)

// Verdict is what one case showed.
type Verdict struct {
	Verdict string `json:"verdict"`
	Kind    string `json:"kind"`
	Why     string `json:"why"`
}

// Judge gives the verdict on a history. It is a pure function, so a stored
// history can be judged again.
func Judge(p Planned, events []Event) Verdict {
	if p.NotApplicable != "" {
		return Verdict{Verdict: NotApplicable, Why: p.NotApplicable}
	}
	// What happened too often was seen with our own eyes, whatever else went wrong.
	// What did not happen is a finding only where nothing else can be the reason.
	steps := []func(Planned, []Event) Verdict{neverFired, unplanned, tooMuch, otherKeys, hotLoop, blocked, unseen, tooLittle, misplaced, unproved}
	for _, step := range steps {
		if v := step(p, events); v.Verdict != "" {
			return withKeys(v, events)
		}
	}
	return Verdict{Verdict: OK}
}

// withKeys adds the cause where it is known: the operation key was not the same.
func withKeys(v Verdict, events []Event) Verdict {
	for _, e := range events {
		if e.Event == EventKeys {
			v.Why += "; " + e.Detail
		}
	}
	return v
}

func tooMuch(p Planned, events []Event) Verdict {
	return worstOf(events, func(look, fault Event) Verdict {
		switch look.Seen.When {
		case SeenYoung:
			return tooMuchYoung(p, look, fault, events)
		case SeenEnd:
			return tooMuchEnd(p, *look.Seen, *fault.Seen)
		case SeenFault:
			if v := bornOld(p, look, events); v.Verdict != "" {
				return v
			}
			return wrongLease(p, *look.Seen)
		case SeenDown:
			return actedBlind(*look.Seen)
		}
		return Verdict{}
	})
}

func tooLittle(p Planned, events []Event) Verdict {
	return worstOf(events, func(look, fault Event) Verdict {
		switch look.Seen.When {
		case SeenYoung:
			return tooLittleYoung(p, look, fault, events)
		case SeenKeyless:
			return keylessEnd(*look.Seen)
		case SeenDown:
			return lostBlind(*look.Seen)
		case SeenEnd:
			if v := lateChange(*look.Seen, takenOf(events, look), *fault.Seen); v.Verdict != "" {
				return v
			}
			return tooLittleEnd(p, *look.Seen, *fault.Seen)
		}
		return Verdict{}
	})
}

// worstOf judges each look beside the one at the same operation's fault and gives
// the worst verdict, so that the kind of a case with many runs is not that of
// whichever run came first.
func worstOf(events []Event, judge func(look, fault Event) Verdict) Verdict {
	var worst Verdict
	for _, e := range events {
		if !e.isLook() {
			continue
		}
		if v := judge(e, faultOf(events, e)); worst.Verdict == "" || v.Verdict != "" && severity(v) < severity(worst) {
			worst = v
		}
	}
	return worst
}

func severity(v Verdict) int {
	return slices.Index([]string{Duplicate, Lost, Stuck, Blocked, AgainstPolicy}, v.Kind)
}

func faultOf(events []Event, look Event) Event { return lookOf(events, look, SeenFault) }

func takenOf(events []Event, look Event) Seen { return *lookOf(events, look, SeenTaken).Seen }

// lookOf is the look at the same operation at another moment, or an empty one.
func lookOf(events []Event, look Event, when string) Event {
	for _, e := range events {
		if e.isLook() && e.Operation == look.Operation && e.Seen.When == when {
			return e
		}
	}
	return Event{Seen: &Seen{}}
}

// wrongLease: the young and the old claim are measured by the agreed lease, not by
// the one that the worker wrote.
func wrongLease(p Planned, fault Seen) Verdict {
	longest := p.StoredLeaseMS + max(0, fault.ClaimAgeMS) // renewed just now
	if p.Guarded && fault.State == "claimed" && !fault.GivenUp && p.StoredLeaseMS > 0 && (fault.LeaseMS < p.StoredLeaseMS || fault.LeaseMS > longest) {
		return violates(AgainstPolicy, "the claim's lease is %s, by the job file it is %s", ms(fault.LeaseMS), ms(p.StoredLeaseMS))
	}
	return Verdict{}
}

// bornOld: a claim cannot be older than its case. One that is was written by another
// clock than the database's. A minute is left for a machine that sets its own.
func bornOld(p Planned, look Event, events []Event) Verdict {
	age, most := ms(look.Seen.ClaimAgeMS), ms(look.MS)+time.Minute
	for _, e := range events {
		if e == look {
			break
		}
		if e.Event == EventPassed {
			most += ms(e.ForMS)
		}
	}
	if p.Guarded && look.Seen.State == "claimed" && (age > most || age < -time.Minute) {
		if p.Point == clocksApart && hidesClock(events) != "" {
			return Verdict{} // unproved says so
		}
		return violates(AgainstPolicy, "a new claim is %s old by the database's clock: another clock wrote it", age)
	}
	return Verdict{}
}

// lateChange: a worker whose claim was taken over changes nothing any more, and the
// record says that it came back.
func lateChange(end, taken, fault Seen) Verdict {
	switch {
	case taken.When == "" || taken.Token == fault.Token:
		return Verdict{}
	case end.State != taken.State || end.Completion != taken.Completion || end.Token != taken.Token:
		return violates(AgainstPolicy, "a worker that had lost its claim changed the record from %s (%s) to %s (%s)",
			taken.State, taken.Completion, end.State, end.Completion)
	case !end.Late:
		return violates(AgainstPolicy, "a worker that had lost its claim came back, and the record does not say so")
	}
	return Verdict{}
}

// otherKeys: one business event is one operation, whoever enqueues it.
func otherKeys(_ Planned, events []Event) Verdict {
	if slices.ContainsFunc(events, func(e Event) bool { return e.Event == EventKeys }) {
		return violates(AgainstPolicy, "one business event was taken for several operations")
	}
	return Verdict{}
}

// hotLoop: a message that comes again and again while no time passes.
func hotLoop(_ Planned, events []Event) Verdict {
	received := map[copyOf]int{}
	for _, e := range events {
		switch {
		case e.Event == EventPassed:
			clear(received)
		case e.Event == EventQueue && e.What == "received":
			c := copyOf{e.Message, e.Copy}
			if received[c]++; received[c] > hotLoopAt {
				return violates(Stuck, "the same message was received more than %d times while no time passed", hotLoopAt)
			}
		}
	}
	return Verdict{}
}

// A put back by a correct worker costs one delivery.
const hotLoopAt = 20

// tooMuchYoung: a claim within its lease is nobody else's.
func tooMuchYoung(p Planned, look, fault Event, events []Event) Verdict {
	young, then := look.Seen, fault.Seen
	switch {
	case !p.Guarded || then.State != "claimed" || ageAt(events, fault, look) >= ms(then.LeaseMS):
		return Verdict{}
	case young.Effects > then.Effects:
		return violates(Duplicate, "acted on a claim within its lease of %s", ms(then.LeaseMS))
	case young.State == "held", young.State == "completed" && young.Completion == "assumed":
		return violates(AgainstPolicy, "decided about a claim within its lease of %s: the record became %s", ms(then.LeaseMS), stateText(*young))
	case young.Token != then.Token:
		return violates(AgainstPolicy, "took over a claim within its lease of %s", ms(then.LeaseMS))
	}
	return Verdict{}
}

// tooLittleYoung: the message is kept. The queue's own log tells, not the number of
// messages that are left: where the replay has put a second copy on, the first one is
// still there when the second is acknowledged.
func tooLittleYoung(p Planned, look, fault Event, events []Event) Verdict {
	young, then := look.Seen, fault.Seen
	if !p.Guarded || then.State != "claimed" || young.State != "claimed" || young.Token != then.Token {
		return Verdict{}
	}
	if young.Queued == 0 || deletedBetween(events, fault, look) {
		return violates(Lost, "the delivery that met a live claim was acknowledged: the operation is not done")
	}
	return Verdict{}
}

func deletedBetween(events []Event, from, to Event) bool {
	within := false
	for _, e := range events {
		switch {
		case e == to:
			return false
		case e == from:
			within = true
		case within && e.Event == EventQueue && e.What == "deleted":
			return true
		}
	}
	return false
}

func tooMuchEnd(p Planned, end, fault Seen) Verdict {
	least, most := bounds(p.ends(fault.moment()))
	switch {
	case end.Effects > most && end.Effects > 1:
		return violates(Duplicate, "%d effects, permitted %s", end.Effects, effectsText(least, most))
	case end.Effects > most:
		return violates(AgainstPolicy, "%d effect, permitted %s", end.Effects, effectsText(least, most))
	case p.Guarded && end.Records > 1:
		return violates(AgainstPolicy, "%d records for one operation: the unique key is not there", end.Records)
	}
	return Verdict{}
}

func tooLittleEnd(p Planned, end, fault Seen) Verdict {
	if p.Guarded && end.Effects == 0 && end.State == job.EndCompleted && end.Completion != "assumed" {
		return violates(Lost, "completed as %s without an effect: the record hides the miss", end.Completion)
	}
	ends := p.ends(fault.moment())
	if slices.ContainsFunc(ends, func(e job.End) bool { return matches(p, e, end) }) {
		return Verdict{}
	}
	least, most := bounds(ends)
	switch {
	case end.Queued > 0:
		return violates(Stuck, "%s and the record %s, while its message goes round on the queue", effectCount(end.Effects), stateText(end))
	case end.Effects < least, end.State == "claimed":
		return violates(Lost, "%s, permitted %s; the record is %s and no message is left", effectCount(end.Effects), effectsText(least, most), stateText(end))
	}
	return violates(AgainstPolicy, "%s and the record %s, permitted %s", effectCount(end.Effects), stateText(end), endsText(ends))
}

func matches(p Planned, e job.End, s Seen) bool {
	if s.Effects != e.Effects || s.Queued > 0 {
		return false
	}
	return !p.Guarded || s.Records == 1 && s.State == e.State
}

func fired(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return e.Event == EventFault && e.Fired })
}

func violates(kind, format string, args ...any) Verdict {
	return Verdict{Verdict: Violation, Kind: kind, Why: fmt.Sprintf(format, args...)}
}
