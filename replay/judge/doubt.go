package judge

import (
	"fmt"
	"slices"
	"time"
)

// The reasons why a case cannot be told.

func neverFired(p Planned, events []Event) Verdict {
	if p.Fault != "" && !fired(events) {
		if v := notRead(events); v.Verdict != "" {
			return v
		}
		return doubt("the fault did not fire %s", p.Fault)
	}
	return Verdict{}
}

// outlived: what a process did that nobody could end is not told from what the case
// did. Counter-example: a daemon behind a gate that is shut, which still has its claim.
func outlived(_ Planned, events []Event) Verdict {
	for _, e := range events {
		if e.Event == EventOutlived {
			return doubt("the worker left processes that outlived their parent: %s", e.Detail)
		}
	}
	return Verdict{}
}

// unplanned: at the fault something was true that the plan has no ends for. Nothing
// is permitted afterwards, and nothing forbidden either.
func unplanned(p Planned, events []Event) Verdict {
	return worstOf(events, func(_, fault Event) Verdict {
		if len(p.ends(fault.Seen.Moment())) == 0 {
			return doubt("the plan has no permitted ends for what was true at the fault: %+v", fault.Seen.Moment())
		}
		return Verdict{}
	})
}

// unseen: something happened that the replay could not see to its end, so what is
// missing may have another reason, or may still come.
func unseen(_ Planned, events []Event) Verdict {
	for _, e := range events {
		switch {
		case e.Event == EventUnproxied:
			return doubt("a call went past the stand-ins: %s", e.Detail)
		case e.Event == EventTimeout, e.Event == EventUnread, e.Event == EventUnreadable:
			return doubt("%s", e.Detail)
		case e.Event == EventWorker && e.What == WorkerFailed:
			return doubt("worker %s ended by itself: %s", e.Worker, e.Detail)
		}
	}
	return Verdict{}
}

// unproved: nothing was found, and the case did not take place as it was meant to.
func unproved(p Planned, events []Event) Verdict {
	if n := Overlapped(events); p.Races && n < p.Runs {
		return doubt("only %d of %d runs overlapped", n, p.Runs)
	}
	if why := hidesClock(events); p.Point == ClocksApart && why != "" {
		return doubt("%s", why)
	}
	for _, e := range events {
		if e.Event == EventUnasked {
			return doubt("%s", e.Detail)
		}
		if !p.Guarded || !e.isLook() || e.Seen.When != SeenYoung {
			continue
		}
		fault := faultOf(events, e)
		if age := ageAt(events, fault, e); fault.Seen.State == "claimed" && age >= ms(fault.Seen.LeaseMS) {
			return doubt("the claim was %s old by then, and no longer within its lease of %s", age, ms(fault.Seen.LeaseMS))
		}
	}
	if !slices.ContainsFunc(events, Event.isEnd) {
		return doubt("the end was not seen")
	}
	return Verdict{}
}

// ageAt is how old a claim that was seen at the fault is at a later look.
func ageAt(events []Event, fault, look Event) time.Duration {
	age := fault.Seen.ClaimAgeMS + look.MS - fault.MS
	after := false
	for _, e := range events {
		switch {
		case e == look:
			return ms(age)
		case e == fault:
			after = true
		case after && e.Event == EventPassed:
			age += e.ForMS
		}
	}
	return ms(age)
}

func doubt(format string, args ...any) Verdict {
	return Verdict{Verdict: Unknown, Why: fmt.Sprintf(format, args...)}
}
