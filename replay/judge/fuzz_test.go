package judge_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

// Any list of events, also one that no replay ever wrote, has a verdict, and the
// numbers of its result can be gathered.
func FuzzJudge(f *testing.F) {
	for n := range 8 {
		for _, events := range [][]Event{
			nil, {faultFired(), look(SeenFault, acted), passed(lease), look(SeenYoung, claimed), look(SeenEnd, completed)},
			raced(1, effectsOf(2)), {{Event: EventTimeout, Detail: "busy"}, {Event: EventSeen}, {Event: EventUnproxied}},
			{{Event: EventWorker, What: WorkerFailed}, look("", held), look(SeenRipe, nothing)},
		} {
			text, err := json.Marshal(events)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(n), n%2 == 0, text)
		}
	}
	cases := replay.CasesOf(job.SQS)
	policies := []job.Policy{job.Lookup, job.Resend, job.Hold, job.AcceptDuplicate, job.AcceptMiss, ""}
	f.Fuzz(func(t *testing.T, n uint8, withGuard bool, text []byte) {
		var events []Event
		if json.Unmarshal(text, &events) != nil {
			return
		}
		version := unguarded
		if withGuard {
			version = guarded
		}
		p := plannedFor(policies[int(n)%len(policies)], version, cases[int(n)%len(cases)].Label())
		if p.NotApplicable != "" {
			return
		}
		first := Of(p, events)
		checkVerdict(t, first)
		if again := Of(p, events); again != first {
			t.Errorf("first %+v, then %+v", first, again)
		}
		if r := NewResult(p, events); r.Verdict != first || r.Facts == nil || r.AllowedEffects == nil {
			t.Errorf("the result %+v of %+v", r, first)
		}
		p.Permitted = nil // a plan that has lost its ends permits nothing, and forbids nothing
		checkVerdict(t, Of(p, events))
	})
}

func checkVerdict(t *testing.T, v Verdict) {
	t.Helper()
	kinds := []string{Duplicate, Lost, Stuck, Blocked, AgainstPolicy}
	switch {
	case !slices.Contains([]string{OK, Violation, Unknown}, v.Verdict):
		t.Errorf("no verdict: %+v", v)
	case (v.Verdict == Violation) != slices.Contains(kinds, v.Kind), v.Verdict != Violation && v.Kind != "":
		t.Errorf("a violation has a kind, and nothing else has: %+v", v)
	}
}
