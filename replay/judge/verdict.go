package judge

import (
	"cmp"
	"fmt"
	"slices"
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

// Of gives the verdict on a history. It is a pure function, so a stored
// history can be judged again.
func Of(p Planned, events []Event) Verdict {
	if p.NotApplicable != "" {
		return Verdict{Verdict: NotApplicable, Why: p.NotApplicable}
	}
	if p.Case == EveryStep {
		return judgeSteps(p, events)
	}
	return judgeOne(p, events)
}

func judgeOne(p Planned, events []Event) Verdict {
	// What happened too often was seen with our own eyes, whatever else went wrong.
	// What did not happen is a finding only where nothing else can be the reason.
	steps := []func(Planned, []Event) Verdict{outlived, neverFired, unplanned, tooMuch, otherKeys, hotLoop, blocked, unseen, tooLittle, misplaced, unproved}
	for _, step := range steps {
		if v := step(p, events); v.Verdict != "" {
			return withPrinted(withCollation(p, withKeys(v, events), events), events)
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

// withCollation says where to look when one of the keys that are nearly the same had no effect,
// or is not done with: the guard's own error stays in the worker. A call that was not
// understood is a reason by itself.
func withCollation(p Planned, v Verdict, events []Event) Verdict {
	strange := slices.ContainsFunc(events, func(e Event) bool { return e.Event == EventUnproxied })
	if p.Case == TwoOperations && !strange && (v.Verdict == Unknown || slices.Contains([]string{Lost, Stuck, Blocked}, v.Kind)) {
		v.Why += "; does a column take different keys for one, or not hold them all, as in MySQL's latin1 or a collation that ends in _ci? twiceproof doctor tells it of the records' table (key.collation), of the application's own look yourself"
	}
	return v
}

func tooMuch(p Planned, events []Event) Verdict {
	return worstOf(events, func(look, fault Event) Verdict {
		if misled(events, look) {
			return Verdict{} // unseen says so
		}
		switch look.Seen.When {
		case SeenYoung:
			return tooMuchYoung(p, look, fault, events)
		case SeenEnd:
			return tooMuchEnd(p, *look.Seen, *fault.Seen)
		case SeenAfter:
			return tooMuchAfter(p, *look.Seen, *fault.Seen)
		case SeenFault:
			if v := bornOld(p, look, events); v.Verdict != "" {
				return v
			}
			return cmp.Or(wrongPolicy(p, *look.Seen), wrongLease(p, *look.Seen))
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
		case SeenEnd, SeenAfter:
			if look.Seen.When == SeenEnd && lookOf(events, look, SeenAfter).Seen.When != "" {
				return Verdict{} // what was missing may have come since
			}
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
	var at string
	failed := map[string]bool{}
	for _, e := range events {
		if !e.isLook() {
			continue
		}
		v := judge(e, faultOf(events, e))
		if v.Verdict != "" {
			failed[e.Operation] = true
		}
		if worst.Verdict == "" || v.Verdict != "" && severity(v) < severity(worst) {
			worst, at = v, e.Operation
		}
	}
	if all := len(operationsOf(events)); worst.Verdict != "" && all > 1 {
		worst.Why += whichOf(all, len(failed), at)
	}
	return worst
}

// whichOf names an operation so that a space at its end, and the form of its letters, is seen.
func whichOf(all, failed int, key string) string {
	if failed == 1 {
		return fmt.Sprintf("; of %d operations the one with the key %+q", all, key)
	}
	return fmt.Sprintf("; of %d operations %d, among them the one with the key %+q", all, failed, key)
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

// otherKeys: one business event is one operation, whoever enqueues it.
func otherKeys(_ Planned, events []Event) Verdict {
	if slices.ContainsFunc(events, func(e Event) bool { return e.Event == EventKeys }) {
		return violates(AgainstPolicy, "one business event was taken for several operations")
	}
	return Verdict{}
}

func fired(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return e.Event == EventFault && e.Fired })
}

func violates(kind, format string, args ...any) Verdict {
	return Verdict{Verdict: Violation, Kind: kind, Why: fmt.Sprintf(format, args...)}
}
