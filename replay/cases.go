package replay

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// Cases are the cases in the order of the report.
func Cases() []Case {
	return slices.Concat(deliveryCases(), killCases(), claimCases(), lateCases(), unknownCases(), deployCases(), keyCases(), stepCases())
}

// CasesOf are those that a job on the queue goes through.
func CasesOf(q job.Queue) []Case {
	return slices.DeleteFunc(Cases(), func(c Case) bool { return len(c.only) > 0 && !slices.Contains(c.only, q) })
}

func deliveryCases() []Case {
	return []Case{
		{
			Name: "sequential", script: sequential,
			What: "the same message delivered 3 times, one after another, and once more past the lease",
			OK:   "1 effect; with a guard 1 record, completed",
		},
		{
			Name: "concurrent", script: concurrent, Races: true,
			What: "the same message to two running workers at once, in turn as one message id twice and as two ids",
			OK:   "1 effect in every run in which both had received it and neither had ended its delivery",
		},
	}
}

func killCases() []Case {
	return []Case{
		{
			Name: "killed_after_claim", onClaim: true, script: killed, at: beforeEffect, unfit: noWire,
			What: "SIGKILL " + beforeEffect.name + "; redelivery past the lease",
			OK:   "what the policy states",
		},
		{
			Name: "killed_after_effect", script: killed, at: afterEffect, unfit: noWire,
			What: "SIGKILL " + afterEffect.name + "; redelivery past the lease",
			OK:   "what the policy states",
		},
		{
			Name: "killed_after_effect", Point: "child", only: []job.Queue{job.Celery, job.RQ}, script: killedChild, at: afterEffect, unfit: noWire,
			What: "SIGKILL of the pool's processes, of RQ the work horse, alone " + afterEffect.name + ", as a system does that is out of memory; the worker lives",
			OK:   "what the policy states; whether the queue keeps the message is told beside it",
		},
		{
			Name: "killed_twice", script: killedTwice, at: afterEffect, unfit: noWire, instead: afterTwoKills,
			What: "SIGKILL " + afterEffect.name + "; past the lease SIGKILL of the next worker at the same point, if it gets there; redelivery past the lease",
			OK:   "what the policy states, in total over all workers: a budget is per operation",
		},
		{
			Name: "killed_after_completion", script: killed, at: beforeAcknowledgement,
			What: "SIGKILL " + beforeAcknowledgement.name + "; redelivery past the lease",
			OK:   "1 effect",
		},
		{
			Name: "killed_after_completion", Point: "unheard", script: killed, at: afterCompletion, unfit: noDatabaseWire,
			What: "SIGKILL " + afterCompletion.name + "; redelivery past the lease",
			OK:   "1 effect",
		},
		{
			Name: "no_redelivery", onClaim: true, script: noRedelivery, at: beforeEffect, unfit: noSweep,
			What: "SIGKILL " + beforeEffect.name + ", and the queue has lost the message; past the lease the sweep runs",
			OK:   "the sweep finds the stale claim, and what the policy states happens",
		},
	}
}

func claimCases() []Case {
	return []Case{
		{
			Name: "young_claim", onClaim: true, script: youngClaim, at: beforeEffect, unfit: noClaimOrWire,
			What: "SIGKILL " + beforeEffect.name + "; redelivery while the claim is younger than its lease, and again past it",
			OK:   "not taken over and not lost while it is young: put back; afterwards what the policy states",
		},
		{
			Name: "young_claim", onClaim: true, Point: "paused", script: youngPaused, at: beforeEffect, unfit: noWire, instead: once,
			What: "the worker is paused " + beforeEffect.name + "; redelivery to another one within the lease; then the first goes on",
			OK:   "not taken over and not lost: put back; 1 effect",
		},
		{
			Name: "young_claim", onClaim: true, Point: "clocks_apart", script: youngClocksApart, at: beforeEffect, unfit: noDatabaseClock,
			What: "the same with a database whose clock is ahead of the workers'",
			OK:   "the same: a lease is judged by one clock, the database's",
		},
		{
			Name: "old_claim", onClaim: true, script: oldClaim, at: beforeEffect, unfit: noClaimOrWire,
			What: "SIGKILL " + beforeEffect.name + "; redeliveries until just before the end of the lease, then one just past it",
			OK:   "handled by the policy, never skipped for ever",
		},
		{
			Name: "old_claim", onClaim: true, Point: "two_at_once", script: twoAtOnce, at: beforeEffect, unfit: noTakeoverWire,
			What: "SIGKILL " + beforeEffect.name + "; past the lease two workers have read the stale claim; one takes it over and is about to act when the other one goes on",
			OK:   "one of them takes it over, the other one changes nothing: what the policy states",
		},
	}
}

func lateCases() []Case {
	return []Case{
		{
			Name: "late_finisher", onClaim: true, Point: "after_effect", script: lateFinisher, at: afterEffect, unfit: noClaimOrWire, also: once,
			What: "the worker is paused " + afterEffect.name + "; past the lease another one follows the policy; then the first wakes up",
			OK:   "what the policy states; the late finisher changes nothing that was decided without it, and the record says that it came",
		},
		{
			Name: "late_finisher", onClaim: true, Point: "before_effect", script: lateFinisher, at: beforeEffect, unfit: noClaimOrWire, also: onceMore,
			What: "the worker is paused " + beforeEffect.name + "; past the lease another one follows the policy; then the first makes its call after all",
			OK:   "one more effect than the policy states cannot be prevented; then the record must say that it is suspected",
		},
		{
			Name: "lost_reply", Point: "claim", script: lostReply, at: afterClaim, unfit: noClaimWire, instead: once,
			What: "the database's connection is cut after the claim was committed, before the worker heard of it",
			OK:   "its own claim is recognised: 1 effect",
		},
		{
			Name: "lost_reply", Point: "completion", script: lostReply, at: afterCompletion, unfit: noDatabaseWire, instead: once,
			What: "the database's connection is cut after the completion was committed, before the worker heard of it",
			OK:   "1 effect, completed",
		},
		{
			Name: "unreachable_database", script: unreachableDatabase, unfit: noCut, instead: once,
			fault: "the message was delivered while the database could not be reached",
			What:  "the message is delivered while the database cannot be reached; then it can",
			OK:    "nothing is done and the message stays; 1 effect once the database is there",
		},
	}
}

func unknownCases() []Case {
	const ok = "what the policy states, in total over all deliveries"
	return []Case{
		{
			Name: "unknown_outcome", Point: "dropped", actsFirst: true, script: unknownOutcome, service: outside.ActThenDrop, unfit: notOutside,
			fault: "the service acted and cut the connection", What: "the service acts and cuts the connection without an answer", OK: ok,
		},
		{
			Name: "unknown_outcome", Point: "status_500", actsFirst: true, script: unknownOutcome, service: outside.ActThenFail, unfit: notOutside,
			fault: "the service acted and answered 500", What: "the service acts and answers 500", OK: ok,
		},
		{
			Name: "unknown_outcome", Point: "refused", script: unknownOutcome, service: outside.DropBeforeAct, unfit: notOutside,
			fault: "the connection was cut before the service acted", What: "the connection is cut before the service acts", OK: ok,
		},
		{
			Name: "unknown_outcome", Point: "look_up_fails", script: lookUpFails, at: afterEffect, unfit: noLookUp, instead: heldEnd,
			What: "SIGKILL " + afterEffect.name + "; past the lease every look-up is answered with 500",
			OK:   "an error is no \"not found\": no further effect, and in the end held",
		},
	}
}

func deployCases() []Case {
	return []Case{
		{
			Name: "shutdown", script: shutdown, at: afterEffect, unfit: noWire, also: once,
			fault: "SIGTERM was sent while the act was running",
			What:  "SIGTERM in the middle of the act, as a deploy sends it; then a fresh worker, past the lease",
			OK:    "1 effect, or what the policy states",
		},
		{
			Name: "old_and_new", script: oldAndNew, unfit: noOtherVersion, instead: once,
			What: "an operation that the old code has finished is delivered to the new code",
			OK:   "1 effect, once the backfill has marked it as done",
		},
	}
}

func keyCases() []Case {
	return []Case{
		{
			Name: judge.TwoOperations, script: twoOperations,
			What: "operations whose keys differ in one character, in case, in a trailing space and in Unicode form",
			OK:   "1 effect each",
		},
		{
			Name: "same_event", script: sameEvent, unfit: noEnqueue, instead: once,
			What: "the same business event enqueued twice by each of the application's own enqueuers, with new message ids",
			OK:   "1 effect; the operation key is the same each time",
		},
		{
			Name: "keyless", script: keyless, unfit: noKeyless, instead: nothingDone,
			What: "two messages without an operation key",
			OK:   "neither is acted upon, and neither is taken off the queue: nobody can tell whether they are one operation",
		},
	}
}

func stepCases() []Case {
	return []Case{
		{
			Name: judge.EveryStep, script: everyStep, fault: "a worker was struck at a step of the recorded run",
			What: "the run is recorded, and then a worker is struck at each place of the rung, each with an operation of its own; redelivery past the lease",
			OK:   "what the policy states, at each place",
		},
	}
}
