package judge_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestNewResult(t *testing.T) {
	end := with(completed, func(s *Seen) { s.Completion = "found"; s.ClaimAgeMS = 3; s.LeaseMS = lease })
	fault := with(acted, func(s *Seen) { s.ClaimAgeMS = 4 })
	p := plannedFor(job.Lookup, guarded, "killed_after_effect")
	got := NewResult(p, []Event{
		faultFired(), look(SeenFault, fault), passed(lease + 1000),
		onQueue(0, "", "m", 1, "visibility_over"), look(SeenEnd, end),
	})
	want := Result{
		Version: "new", Guarded: true, Case: "killed_after_effect", Runs: 1, Operations: 1, Verdict: Verdict{Verdict: OK},
		What: p.What, OK: p.OK,
		Effects: 1, EffectsMin: 1, EffectsMax: 1, AllowedEffects: []int{1}, Records: 1, State: job.EndCompleted,
		ClaimAgeMS: 4, LeaseMS: lease, Redelivery: "natural", FaultFired: true,
		Facts: []string{
			"at the fault: 1 effect, record claimed, claim age 4ms, lease 2m0s, message on the queue",
			"2m1s pass",
			"at the end: 1 effect, record completed (found)",
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestResultNumbers(t *testing.T) {
	heldTwice := with(held, func(s *Seen) { s.Effects, s.HoldReason = 2, "look_ups_used_up" })
	young := with(claimed, func(s *Seen) { s.ClaimAgeMS = 37_000 })
	for _, c := range []struct {
		name    string
		planned string
		events  []Event
		want    Result // the fields below
	}{
		{"nothing seen", "sequential", nil, Result{Runs: 1, AllowedEffects: []int{1}, Redelivery: "none"}},
		{
			"the operation that ended otherwise is shown", "two_operations",
			[]Event{lookAt("a", SeenEnd, completed), lookAt("b", SeenEnd, heldTwice), lookAt("c", SeenEnd, completed)},
			Result{Runs: 1, Operations: 3, Effects: 2, EffectsMin: 1, EffectsMax: 2, AllowedEffects: []int{1}, Records: 1, State: job.EndHeld, HoldReason: "look_ups_used_up", Redelivery: "none"},
		},
		{
			"runs of a race", "concurrent",
			slices.Concat(raced(1, completed), []Event{onQueue(2, "A", "m", 1, "received"), lookAt("order-2", SeenEnd, nothing)}, raced(3, completed)),
			Result{Runs: 3, Overlapped: 2, Operations: 3, Effects: 1, EffectsMin: 0, EffectsMax: 1, AllowedEffects: []int{1}, Records: 1, State: "", Redelivery: "none"},
		},
		{
			"the young claim's own age", "young_claim",
			[]Event{faultFired(), look(SeenFault, claimed), look(SeenYoung, young), onQueue(0, "", "m", 2, "redelivered"), onQueue(0, "", "m", 1, "visibility_over"), look(SeenEnd, completed)},
			Result{Runs: 1, Operations: 1, Effects: 1, EffectsMin: 1, EffectsMax: 1, AllowedEffects: []int{1}, Records: 1, State: job.EndCompleted, ClaimAgeMS: 37_000, LeaseMS: lease, Redelivery: "forced", FaultFired: true},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := NewResult(plannedFor(job.Lookup, guarded, c.planned), c.events)
			got.Version, got.Guarded, got.Case, got.Verdict, got.Facts, got.What, got.OK = "", false, "", Verdict{}, nil, "", ""
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// A deploy waits for a worker that SIGTERM does not end, and then kills it.
func TestAWorkerThatIgnoresSIGTERMIsTold(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, "shutdown")
	for _, c := range []struct {
		end  Event
		told int
	}{
		{Event{Event: EventWorker, Worker: "A", What: WorkerKilled, Detail: "it did not end by itself"}, 1},
		{Event{Event: EventWorker, Worker: "A", What: WorkerEnded, Detail: "exit status 1"}, 0},
		{Event{Event: EventWorker, Worker: "A", What: WorkerKilled}, 0},
	} {
		r := NewResult(p, []Event{faultFired(), look(SeenFault, acted), c.end, look(SeenEnd, completed)})
		told := slices.DeleteFunc(slices.Clone(r.Facts), func(f string) bool { return !strings.Contains(f, "did not end by itself") })
		if r.Verdict.Verdict != OK || len(told) != c.told {
			t.Errorf("%+v: %q, %+v", c.end, told, r.Verdict)
		}
	}
}

func TestAllowedEffects(t *testing.T) {
	p := plannedFor(job.AcceptDuplicate, guarded, "killed_after_effect")
	r := NewResult(p, []Event{faultFired(), look(SeenFault, acted), look(SeenEnd, completed)})
	if want := []int{1, 2}; !slices.Equal(r.AllowedEffects, want) {
		t.Errorf("got %v, want %v", r.AllowedEffects, want)
	}
}

func TestFacts(t *testing.T) {
	p := plannedFor(job.Hold, guarded, "killed_after_claim")
	events := []Event{
		look(SeenFault, nothing), passed(999), passed(151_000),
		look(SeenRipe, with(claimed, func(s *Seen) { s.ClaimAgeMS = 150_020 })),
		look(SeenEnd, with(held, func(s *Seen) { s.HoldReason = "policy" })),
	}
	want := []string{
		"at the fault: 0 effects, no record", "2m31s pass",
		"past the lease: 0 effects, record claimed, claim age 2m30.02s, lease 2m0s, message on the queue",
		"at the end: 0 effects, record held (policy)",
	}
	if got := Facts(p, events); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	old := plannedFor(job.Hold, unguarded, "killed_after_claim")
	if got := Facts(old, []Event{look(SeenEnd, effectsOf(2))}); !slices.Equal(got, []string{"at the end: 2 effects"}) {
		t.Errorf("without a guard nothing is said of a record: %q", got)
	}
	for _, many := range [][]Event{{lookAt("a", SeenEnd, completed), lookAt("b", SeenEnd, completed)}, {{Event: EventSeen}}} {
		if got := Facts(p, many); got == nil || len(got) > 0 {
			t.Errorf("got %#v, want an empty list", got)
		}
	}
}
