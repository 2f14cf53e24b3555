package judge_test

import (
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	. "github.com/twiceproof/twiceproof/replay/judge"
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

// planOf is what a replay plans, so that the tables judge by the real ends.
func planOf(queue job.Queue, policy job.Policy) []Planned {
	j := job.Job{
		Type: "charge.create", Queue: queue, Effect: job.Effect{Kind: job.Outside},
		Lease: lease * time.Millisecond, Stale: job.Stale{Policy: policy},
	}
	spec := &jobfile.Replay{
		Database: jobfile.Database{Kind: jobfile.Postgres}, Backfill: "backfill", Enqueue: []string{"enqueue"}, Sweep: "sweep", ConcurrentRuns: 2,
		Versions: []jobfile.CodeVersion{{Name: guarded.Name, Guarded: true}, {Name: unguarded.Name}},
	}
	return replay.NewPlan(j, "", spec, Durable).Cases
}

func plannedFor(policy job.Policy, version replay.Version, name string) Planned {
	cases := planOf(job.SQS, policy)
	return cases[slices.IndexFunc(cases, func(p Planned) bool { return p.Version == version.Name && p.Label() == name })]
}

var (
	guarded   = replay.Version{Name: "new", Guarded: true}
	unguarded = replay.Version{Name: "old"}
)

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
