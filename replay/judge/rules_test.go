package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestJudgeLateFinisher(t *testing.T) {
	taken := with(completed, func(s *Seen) { s.Completion = "found" })
	end := with(taken, func(s *Seen) { s.Late = true })
	kept := with(held, func(s *Seen) { s.Token, s.Effects = "t1", 1 })
	history := func(taken, end Seen) []Event {
		return []Event{faultFired(), look(SeenFault, acted), passed(lease), look(SeenTaken, taken), look(SeenEnd, end)}
	}
	for _, c := range []struct {
		name   string
		policy job.Policy
		events []Event
		kind   string
	}{
		{"it leaves a trace and nothing else", job.Lookup, history(taken, end), ""},
		{"no trace", job.Lookup, history(taken, taken), AgainstPolicy},
		{"another completion", job.Lookup, history(taken, with(end, func(s *Seen) { s.Completion = "acted" })), AgainstPolicy},
		{"another token", job.Lookup, history(taken, with(end, func(s *Seen) { s.Token = "t1" })), AgainstPolicy},
		{"another state", job.Lookup, history(with(acted, func(s *Seen) { s.Token = "t2" }), end), AgainstPolicy},
		{"held by its own token, and completed by it", job.Hold, history(kept, with(completed, func(s *Seen) { s.Token = "t1" })), ""},
		{"nobody took over", job.Lookup, history(acted, with(completed, func(s *Seen) { s.Token = "t1" })), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Of(plannedFor(c.policy, guarded, "late_finisher/after_effect"), c.events); got.Kind != c.kind {
				t.Errorf("got %+v, want %q", got, c.kind)
			}
		})
	}
}

// A worker that was paused before its claim has lost none, and may change nothing either.
func TestJudgeLateBeforeItsClaim(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		change     func(*Seen)
	}{
		{"it meets what was decided", "", func(*Seen) {}},
		{"it decides once more", AgainstPolicy, func(s *Seen) { s.Token = "t3" }},
	} {
		events := []Event{faultFired(), look(SeenFault, nothing), passed(lease), look(SeenTaken, completed), look(SeenEnd, with(completed, c.change))}
		if got := Of(plannedFor(job.Lookup, guarded, "late_finisher/before_effect"), events); got.Kind != c.kind {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.kind)
		}
	}
}

// A call that was on its way cannot be called back, and one of a worker that never
// had a claim is no such call.
func TestJudgeLateCall(t *testing.T) {
	twice := with(completed, func(s *Seen) { s.Effects, s.Late = 2, true })
	for _, c := range []struct {
		name  string
		fault Seen
		kind  string
	}{{"claimed", claimed, ""}, {"without a claim", nothing, Duplicate}} {
		events := []Event{faultFired(), look(SeenFault, c.fault), look(SeenTaken, completed), look(SeenEnd, twice)}
		if got := Of(plannedFor(job.Lookup, guarded, "late_finisher/before_effect"), events); got.Kind != c.kind {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.kind)
		}
	}
}

func TestJudgeLease(t *testing.T) {
	of := func(change func(*Seen)) Event { return look(SeenFault, with(claimed, change)) }
	for _, c := range []struct {
		name    string
		version replay.Version
		before  []Event
		fault   Event
		kind    string
	}{
		{"as agreed", guarded, nil, of(func(*Seen) {}), ""},
		{"shorter", guarded, nil, of(func(s *Seen) { s.LeaseMS-- }), AgainstPolicy},
		{"longer", guarded, nil, of(func(s *Seen) { s.LeaseMS, s.ClaimAgeMS = s.LeaseMS+1, 0 }), AgainstPolicy},
		{"renewed", guarded, nil, of(func(s *Seen) { s.LeaseMS, s.ClaimAgeMS = s.LeaseMS+500, 500 }), ""},
		{"renewed for too long", guarded, nil, of(func(s *Seen) { s.LeaseMS, s.ClaimAgeMS = s.LeaseMS+501, 500 }), AgainstPolicy},
		{"given up early", guarded, nil, of(func(s *Seen) { s.LeaseMS, s.GivenUp = 7, true }), ""},
		{"not claimed", guarded, nil, look(SeenFault, completed), ""},
		{"older than its case", guarded, nil, of(func(s *Seen) { s.ClaimAgeMS = 90_000 }), AgainstPolicy},
		{"as old as the time that passed", guarded, []Event{passed(90_000)}, of(func(s *Seen) { s.ClaimAgeMS = 90_000 }), ""},
		{"from the future", guarded, nil, of(func(s *Seen) { s.ClaimAgeMS = -90_000 }), AgainstPolicy},
		{"old code", unguarded, nil, look(SeenFault, nothing), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			end := completed
			if !c.version.Guarded {
				end = effectsOf(1)
			}
			events := slices.Concat([]Event{faultFired()}, c.before, []Event{c.fault, look(SeenEnd, end)})
			if got := Of(plannedFor(job.Lookup, c.version, "killed_after_claim"), events); got.Kind != c.kind {
				t.Errorf("got %+v, want %q", got, c.kind)
			}
		})
	}
}

// The kind of many runs is the worst of them, whichever came first.
func TestSeverity(t *testing.T) {
	kinds := []string{Duplicate, Lost, Stuck, Blocked, AgainstPolicy}
	for i, worse := range kinds {
		for _, better := range kinds[i+1:] {
			if Severity(Verdict{Kind: worse}) >= Severity(Verdict{Kind: better}) {
				t.Errorf("%s is not worse than %s", worse, better)
			}
		}
	}
	wrong := []Event{lookAt("a", SeenEnd, with(completed, func(s *Seen) { s.Records = 2 })), lookAt("b", SeenEnd, with(completed, func(s *Seen) { s.Effects = 2 }))}
	for range 2 {
		if got := Of(plannedFor(job.Lookup, guarded, "two_operations"), wrong); got.Kind != Duplicate {
			t.Errorf("got %+v", got)
		}
		slices.Reverse(wrong)
	}
}

func TestJudgeKeyless(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, "sequential")
	for _, c := range []struct {
		effects, queued int
		kind            string
	}{{0, 2, ""}, {1, 0, Lost}, {0, 1, Lost}, {0, 0, Lost}, {1, 1, AgainstPolicy}, {2, 0, AgainstPolicy}, {1, 2, AgainstPolicy}} {
		got := Of(p, []Event{look(SeenKeyless, Seen{Effects: c.effects, Queued: c.queued})})
		if got.Kind != c.kind || c.kind == "" && got.Verdict != OK {
			t.Errorf("%d effects, %d queued: got %+v, want %q", c.effects, c.queued, got, c.kind)
		}
	}
}

// A look-up that nobody asked for cannot have failed.
func TestJudgeUnasked(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, "unknown_outcome/look_up_fails")
	unasked := Event{Event: EventUnasked, Detail: "no look-up was asked"}
	heldOnce := with(held, func(s *Seen) { s.Effects = 1 })
	for _, c := range []struct {
		end           Seen
		verdict, kind string
	}{{heldOnce, Unknown, ""}, {with(acted, func(s *Seen) { s.Queued = 0 }), Violation, Lost}, {acted, Violation, Stuck}} {
		got := Of(p, []Event{faultFired(), look(SeenFault, acted), look(SeenEnd, c.end), unasked})
		if got.Verdict != c.verdict || got.Kind != c.kind {
			t.Errorf("got %+v, want %s %s", got, c.verdict, c.kind)
		}
	}
}

// A second copy of the message hides that the first delivery was acknowledged; the
// queue's log does not.
func TestAnAcknowledgedLiveClaimIsLostWhateverIsLeft(t *testing.T) {
	p := plannedFor(job.Hold, guarded, "young_claim")
	events := func(what string) []Event {
		return []Event{
			faultFired(), look(SeenFault, claimed), passed(30_000),
			onQueue(0, "B", "m", 2, "received"), onQueue(0, "B", "m", 2, what),
			look(SeenYoung, with(claimed, func(s *Seen) { s.Queued = 1 })), passed(lease + 1000),
			look(SeenEnd, with(held, func(s *Seen) { s.Effects = 0 })),
		}
	}
	if got := Of(p, events("deleted")); got.Kind != Lost {
		t.Errorf("acknowledged: %+v", got)
	}
	if got := Of(p, events("visibility_changed")); got.Verdict != OK {
		t.Errorf("put back: %+v", got)
	}
}

func TestOneEventOneOperation(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, "same_event")
	end := look(SeenEnd, completed)
	if got := Of(p, []Event{end}); got.Verdict != OK {
		t.Errorf("one key: %+v", got)
	}
	got := Of(p, []Event{{Event: EventKeys, Detail: "they differ in body.sent_at"}, end})
	if got.Kind != AgainstPolicy || !strings.Contains(got.Why, "body.sent_at") {
		t.Errorf("two keys: %+v", got)
	}
}

// Where one of two keys had no effect, or is not done with, the finding names the usual cause;
// the controls are a repeat in the same case, and a loss in another one.
func TestCollationIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		planned string
		events  []Event
		verdict string
		named   bool
	}{
		"one key is lost":  {TwoOperations, []Event{lookAt("a", SeenEnd, completed), lookAt("A", SeenEnd, nothing)}, Violation, true},
		"it is still busy": {TwoOperations, []Event{{Event: EventTimeout, Detail: "a worker was still busy after 20s"}}, Unknown, true},
		"one key repeats":  {TwoOperations, []Event{lookAt("a", SeenEnd, completed), lookAt("A", SeenEnd, effectsOf(2))}, Violation, false},
		"in another case":  {"sequential", []Event{look(SeenEnd, nothing)}, Violation, false},
	} {
		got := Of(plannedFor(job.Lookup, guarded, c.planned), c.events)
		if got.Verdict != c.verdict || strings.Contains(got.Why, "key.collation") != c.named {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
