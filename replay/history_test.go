package replay

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// A history in a few words, for the tables: each helper is one event.

func look(when string, s Seen) Event { return lookAt("order-1", when, s) }

func lookAt(operation, when string, s Seen) Event {
	s.When = when
	return Event{Event: EventSeen, Operation: operation, Seen: &s}
}

func faultFired() Event  { return Event{Event: EventFault, Fired: true} }
func faultMissed() Event { return Event{Event: EventFault} }
func passed(ms int64) Event {
	return Event{Event: EventPassed, ForMS: ms}
}

// onQueue is one event of the queue's own log.
func onQueue(run int, worker, message string, copy int, what string) Event {
	return Event{Event: EventQueue, Run: run, Worker: worker, Message: message, Copy: copy, What: what}
}

// raced is one run in which both workers had the message, and how it ended.
func raced(run int, end Seen) []Event {
	return []Event{
		onQueue(run, "A", "m", 1, "received"), onQueue(run, "B", "m", 2, "received"),
		onQueue(run, "A", "m", 1, "deleted"), onQueue(run, "B", "m", 2, "deleted"),
		lookAt("order-"+string(rune('0'+run)), SeenEnd, end),
	}
}

const lease = 120_000

var (
	nothing   = Seen{}
	claimed   = Seen{Records: 1, State: "claimed", Token: "t1", Queued: 1, LeaseMS: lease}
	acted     = Seen{Records: 1, State: "claimed", Token: "t1", Queued: 1, LeaseMS: lease, Effects: 1}
	completed = Seen{Records: 1, State: job.EndCompleted, Token: "t2", Effects: 1}
	held      = Seen{Records: 1, State: job.EndHeld, Token: "t2"}
)

func with(s Seen, change func(*Seen)) Seen {
	change(&s)
	return s
}

func effectsOf(n int) Seen { return Seen{Effects: n} }

// The plans that the tables judge by.
func plannedFor(policy job.Policy, version Version, name string) Planned {
	j := job.Job{
		Type: "charge.create", Queue: job.SQS, Effect: job.Effect{Kind: job.Outside},
		Lease: ms(lease), Stale: job.Stale{Policy: policy},
	}
	return planCase(setting{
		job: j, database: jobfile.Postgres, guarded: version.Guarded, unguardedVersion: true, backfill: true, enqueue: true, sweep: true,
	}, caseLabelled(name), version, 2)
}

var (
	guarded   = Version{Name: "new", Guarded: true}
	unguarded = Version{Name: "old"}
)

func caseLabelled(name string) Case {
	cases := Cases()
	return cases[slices.IndexFunc(cases, func(c Case) bool { return label(c.Name, c.Point) == name })]
}

// stillRacing is a run in which worker B still has the message.
func stillRacing() []Event {
	return []Event{
		onQueue(1, "A", "m", 1, "received"), onQueue(1, "B", "m", 2, "received"), onQueue(1, "A", "m", 1, "deleted"),
	}
}

func inRace(e Event) Event {
	e.Run = 1
	return e
}
