package judge_test

import (
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestJudge(t *testing.T) {
	timeout := Event{Event: EventTimeout, Detail: "a worker was still busy after 20s"}
	unproxied := Event{Event: EventUnproxied, Detail: "CONNECT api.example:443"}
	crashed := Event{Event: EventWorker, Worker: "A", What: WorkerFailed, Detail: "exit status 1"}
	outlived := Event{Event: EventOutlived, Detail: "sleep"}
	stuck := with(claimed, func(s *Seen) { s.ClaimAgeMS = lease })
	for _, c := range []struct {
		name    string
		policy  job.Policy
		version replay.Version
		planned string
		events  []Event
		verdict string
		kind    string
	}{
		{"once", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, completed)}, OK, ""},
		{"once, without a guard", job.Lookup, unguarded, "sequential", []Event{look(SeenEnd, effectsOf(1))}, OK, ""},
		{"twice", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 2 }))}, Violation, Duplicate},
		{"twice, without a guard", job.Lookup, unguarded, "sequential", []Event{look(SeenEnd, effectsOf(4))}, Violation, Duplicate},
		{"never, and no message left", job.Lookup, unguarded, "sequential", []Event{look(SeenEnd, nothing)}, Violation, Lost},
		{"the message goes round", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, stuck)}, Violation, Stuck},
		{"a claim that nobody will act on", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, with(acted, func(s *Seen) { s.Queued = 0 }))}, Violation, Lost},
		{"held where it was not agreed", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, with(held, func(s *Seen) { s.Effects = 1 }))}, Violation, AgainstPolicy},
		{"two records", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, with(completed, func(s *Seen) { s.Records = 2 }))}, Violation, AgainstPolicy},
		{"no record", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, effectsOf(1))}, Violation, AgainstPolicy},

		{"the end was not seen", job.Lookup, guarded, "sequential", nil, Unknown, ""},
		{"time-out", job.Lookup, guarded, "sequential", []Event{timeout, look(SeenEnd, completed)}, Unknown, ""},
		{"a connection that could not be read", job.Lookup, guarded, "sequential", []Event{{Event: EventUnreadable, Detail: "connection of the queue ended"}, look(SeenEnd, nothing)}, Unknown, ""},
		{"a busy worker's message is not stuck", job.Lookup, guarded, "sequential", []Event{timeout, look(SeenEnd, claimed)}, Unknown, ""},
		{"an unproxied call", job.Lookup, guarded, "sequential", []Event{unproxied, look(SeenEnd, completed)}, Unknown, ""},
		{"an effect that went elsewhere is not lost", job.Lookup, unguarded, "sequential", []Event{unproxied, look(SeenEnd, nothing)}, Unknown, ""},
		{"a worker that ended by itself", job.Lookup, guarded, "sequential", []Event{crashed, look(SeenEnd, claimed)}, Unknown, ""},
		{"a repeat was seen, whatever else", job.Lookup, unguarded, "sequential", []Event{timeout, unproxied, crashed, look(SeenEnd, effectsOf(2))}, Violation, Duplicate},
		{"a daemon was left", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, completed), outlived}, Unknown, ""},
		{"a repeat that a daemon may have made", job.Lookup, guarded, "sequential", []Event{look(SeenEnd, effectsOf(2)), outlived}, Unknown, ""},

		{"the fault did not fire", job.Lookup, guarded, "killed_after_claim", []Event{faultMissed(), look(SeenEnd, completed)}, Unknown, ""},
		{"a repeat without the fault is another case's", job.Lookup, guarded, "killed_after_claim", []Event{faultMissed(), look(SeenEnd, effectsOf(2))}, Unknown, ""},
		{"no fault at all", job.Lookup, guarded, "killed_after_claim", nil, Unknown, ""},
		{"lookup, nothing out", job.Lookup, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, claimed), look(SeenEnd, completed)}, OK, ""},
		{"lookup, effect out", job.Lookup, guarded, "killed_after_effect", []Event{faultFired(), look(SeenFault, acted), look(SeenEnd, completed)}, OK, ""},
		{"hold, nothing out", job.Hold, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, claimed), look(SeenEnd, held)}, OK, ""},
		{"hold, and acted all the same", job.Hold, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, claimed), look(SeenEnd, completed)}, Violation, AgainstPolicy},
		{"hold, effect out, and acted again", job.Hold, guarded, "killed_after_effect", []Event{faultFired(), look(SeenFault, acted), look(SeenEnd, with(held, func(s *Seen) { s.Effects = 2 }))}, Violation, Duplicate},
		{"one duplicate is accepted", job.AcceptDuplicate, guarded, "killed_after_effect", []Event{faultFired(), look(SeenFault, acted), look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 2 }))}, OK, ""},
		{"two are not", job.AcceptDuplicate, guarded, "killed_after_effect", []Event{faultFired(), look(SeenFault, acted), look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 3 }))}, Violation, Duplicate},
		{"a miss is accepted", job.AcceptMiss, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, claimed), look(SeenEnd, with(completed, func(s *Seen) { s.Effects, s.Completion = 0, "assumed" }))}, OK, ""},
		{"a miss is hidden", job.AcceptMiss, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, claimed), look(SeenEnd, with(completed, func(s *Seen) { s.Effects, s.Completion = 0, "acted" }))}, Violation, Lost},
		{"a miss is not", job.Lookup, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, claimed), look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 0 }))}, Violation, Lost},
		{"no claim was there: hold does not hold", job.Hold, guarded, "killed_after_claim", []Event{faultFired(), look(SeenFault, nothing), look(SeenEnd, held)}, Violation, Lost},
		{"killed in vain, without a guard", job.Lookup, unguarded, "killed_after_effect", []Event{faultFired(), look(SeenFault, effectsOf(1)), look(SeenEnd, effectsOf(2))}, Violation, Duplicate},

		{"the overlaps are there", job.Lookup, guarded, "concurrent", slices.Concat(raced(1, completed), raced(2, completed)), OK, ""},
		{"too few overlaps", job.Lookup, guarded, "concurrent", raced(1, completed), Unknown, ""},
		{"a repeat in one run", job.Lookup, guarded, "concurrent", slices.Concat(raced(1, completed), raced(2, effectsOf(2))), Violation, Duplicate},
		{"a loss in a run, too few overlaps", job.Lookup, unguarded, "concurrent", raced(1, nothing), Violation, Lost},
		{"a racer is still busy", job.Lookup, guarded, "concurrent", append(stillRacing(), inRace(timeout)), Violation, Blocked},
		{"busy before the races began", job.Lookup, guarded, "concurrent", append(stillRacing(), timeout), Unknown, ""},
		{"busy after a repeat", job.Lookup, guarded, "concurrent", append(raced(1, effectsOf(2)), timeout), Violation, Duplicate},
		{"a racer ended by itself", job.Lookup, guarded, "concurrent", append(raced(1, claimed), crashed), Unknown, ""},

		{"two operations", job.Lookup, guarded, "two_operations", []Event{lookAt("a", SeenEnd, completed), lookAt("A", SeenEnd, completed)}, OK, ""},
		{"two operations made one", job.Lookup, guarded, "two_operations", []Event{lookAt("a", SeenEnd, completed), lookAt("A", SeenEnd, nothing)}, Violation, Lost},
		{"the second one twice", job.Lookup, unguarded, "two_operations", []Event{lookAt("a", SeenEnd, effectsOf(1)), lookAt("A", SeenEnd, effectsOf(2))}, Violation, Duplicate},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Of(plannedFor(c.policy, c.version, c.planned), c.events)
			if got.Verdict != c.verdict || got.Kind != c.kind {
				t.Errorf("got %+v, want %s %s", got, c.verdict, c.kind)
			}
			if (got.Why == "") != (got.Verdict == OK) {
				t.Errorf("%s says why: %q", got.Verdict, got.Why)
			}
		})
	}
}

func TestJudgeYoungClaim(t *testing.T) {
	young := with(claimed, func(s *Seen) { s.ClaimAgeMS = lease / 4 })
	history := func(pass int64, y Seen, end Seen) []Event {
		return []Event{faultFired(), look(SeenFault, claimed), passed(pass), look(SeenYoung, y), passed(lease), look(SeenEnd, end)}
	}
	for _, c := range []struct {
		name    string
		version replay.Version
		events  []Event
		verdict string
		kind    string
	}{
		{"put back, and done later", guarded, history(lease/4, young, completed), OK, ""},
		{"acted on", guarded, history(lease/4, with(young, func(s *Seen) { s.Effects = 1 }), completed), Violation, AgainstPolicy},
		{"acted on twice", guarded, history(lease/4, with(young, func(s *Seen) { s.Effects = 2 }), completed), Violation, Duplicate},
		{"taken over", guarded, history(lease/4, with(young, func(s *Seen) { s.Token = "t2" }), completed), Violation, AgainstPolicy},
		{"held too early", guarded, history(lease/4, with(young, func(s *Seen) { s.State = "held" }), completed), Violation, AgainstPolicy},
		{"taken as done too early", guarded, history(lease/4, with(young, func(s *Seen) { s.State, s.Completion = "completed", "assumed" }), completed), Violation, AgainstPolicy},
		{"acknowledged", guarded, history(lease/4, with(young, func(s *Seen) { s.Queued = 0 }), with(claimed, func(s *Seen) { s.Queued = 0 })), Violation, Lost},
		{"old code may act at once", unguarded, []Event{faultFired(), look(SeenFault, nothing), passed(lease / 4), look(SeenYoung, effectsOf(1)), look(SeenEnd, effectsOf(1))}, OK, ""},
		{"the plan does not have it", unguarded, history(lease/4, effectsOf(1), effectsOf(1)), Unknown, ""},
		{"a ripe look is judged by nobody", guarded, append(history(lease/4, young, completed), look(SeenRipe, acted)), OK, ""},
		// The machine was slow: the claim had run out by itself.
		{"taken over past the lease", guarded, history(lease, with(young, func(s *Seen) { s.Token = "t2" }), completed), Unknown, ""},
		{"acted on past the lease", guarded, history(lease, with(young, func(s *Seen) { s.Effects, s.Token = 1, "t2" }), completed), Unknown, ""},
		{"nothing was claimed", guarded, []Event{faultFired(), look(SeenFault, nothing), look(SeenYoung, completed), look(SeenEnd, completed)}, Unknown, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Of(plannedFor(job.Lookup, c.version, "young_claim"), c.events)
			if got.Verdict != c.verdict || got.Kind != c.kind {
				t.Errorf("got %+v, want %s %s", got, c.verdict, c.kind)
			}
		})
	}
}

func TestNotApplicableIsNeverMore(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, "sequential")
	p.NotApplicable = "nothing survives the rollback"
	for _, events := range [][]Event{nil, {look(SeenEnd, effectsOf(9))}, {faultMissed()}} {
		if got := Of(p, events); got.Verdict != NotApplicable || got.Why != p.NotApplicable || got.Kind != "" {
			t.Errorf("got %+v", got)
		}
	}
}

// The claim's age counts what the machine took and what the replay let pass,
// between the two looks only.
func TestAgeAt(t *testing.T) {
	fault, young := look(SeenFault, claimed), look(SeenYoung, claimed)
	fault.Seen.ClaimAgeMS, fault.MS, young.MS = 7, 100, 150
	events := []Event{passed(5000), fault, passed(1000), passed(2000), young, passed(9000)}
	if got, want := AgeAt(events, fault, young), Ms(7+50+3000); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
