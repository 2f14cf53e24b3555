package judge

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
)

// Result is one line of the report: a case, its verdict, and the numbers behind it.
type Result struct {
	Version string `json:"version"`
	Guarded bool   `json:"guarded"`
	Case    string `json:"case"`
	Point   string `json:"point"`
	// Runs is how many runs there were, Overlapped how many of them were a race.
	Runs       int `json:"runs"`
	Overlapped int `json:"overlapped"`
	Verdict
	// What happens in the case and when it is ok, as the plan says.
	What string `json:"what"`
	OK   string `json:"ok_when"`
	// Operations is how many operations took part; the counts are of one each.
	Operations int `json:"operations"`
	// LateFinish: a worker that had lost its claim came back, and the record says so.
	LateFinish bool `json:"late_finish"`
	// Effects is the largest count that one operation had at the end.
	Effects        int    `json:"effects"`
	EffectsMin     int    `json:"effects_min"`
	EffectsMax     int    `json:"effects_max"`
	AllowedEffects []int  `json:"allowed_effects"`
	Records        int    `json:"records"`
	State          string `json:"state"`
	HoldReason     string `json:"hold_reason,omitempty"`
	// ClaimAgeMS and LeaseMS are from the look that the case is about: the young
	// claim that was not taken over, or the claim at the fault.
	ClaimAgeMS int64  `json:"claim_age_ms"`
	LeaseMS    int64  `json:"lease_ms"`
	Redelivery string `json:"redelivery"`
	FaultFired bool   `json:"fault_fired"`
	Rerun      string `json:"rerun"`
	// Facts are what the case showed, in the order in which it did, for people.
	Facts []string `json:"facts"`
}

// NewResult judges a history and gathers its numbers; a pure function.
func NewResult(p Planned, events []Event) Result {
	r := Result{
		Version: p.Version, Guarded: p.Guarded, Case: p.Case, Point: p.Point, Runs: 1,
		What: p.What, OK: p.OK, Operations: len(operationsOf(events)),
		Verdict: Of(p, events), FaultFired: fired(events), Redelivery: redelivery(events), Facts: append(append(facts(p, events), deaf(events)...), queueFacts(events)...),
	}
	switch {
	case p.Races:
		r.Runs, r.Overlapped = len(byRun(events)), Overlapped(events)
	case p.Case == EveryStep:
		r.Runs, r.Facts = len(Strikes(p, events)), stepFacts(p, events)
	}
	first := true
	for _, e := range events {
		if !e.isLook() {
			continue
		}
		if e.Seen.LeaseMS > 0 && (e.Seen.When == SeenYoung || e.Seen.When == SeenRipe || e.Seen.When == SeenFault) {
			r.ClaimAgeMS, r.LeaseMS = e.Seen.ClaimAgeMS, e.Seen.LeaseMS
		}
		if e.isEnd() && lookOf(events, e, SeenAfter).Seen.When == "" || e.Seen.When == SeenAfter {
			r.count(*e.Seen, first)
			first = false
		}
	}
	r.AllowedEffects = allowed(permittedAt(p, events))
	return r
}

// count takes in how one operation ended. The state shown is that of the first
// operation that did not end as the others did.
func (r *Result) count(end Seen, first bool) {
	if first {
		r.EffectsMin, r.EffectsMax = end.Effects, end.Effects
	}
	r.EffectsMin, r.EffectsMax = min(r.EffectsMin, end.Effects), max(r.EffectsMax, end.Effects)
	r.Effects = r.EffectsMax
	r.Records = max(r.Records, end.Records)
	r.LateFinish = r.LateFinish || end.Late
	if first || r.State == job.EndCompleted {
		r.State, r.HoldReason = end.State, end.HoldReason
	}
}

// permittedAt are the ends for what was true at the fault; of many faults those of all.
func permittedAt(p Planned, events []Event) []job.End {
	if p.Case != EveryStep {
		return p.ends(faultMoment(events))
	}
	var all []job.End
	for _, r := range struck(events) {
		all = job.Union(all, p.ends(faultMoment(r.Events)))
	}
	slices.SortFunc(all, func(a, b job.End) int { return a.Effects - b.Effects })
	return all
}

func faultMoment(events []Event) job.Moment {
	for _, e := range events {
		if e.isLook() && e.Seen.When == SeenFault {
			return e.Seen.Moment()
		}
	}
	return job.Moment{}
}

func allowed(ends []job.End) []int {
	counts := []int{}
	for _, e := range ends {
		if len(counts) == 0 || counts[len(counts)-1] != e.Effects {
			counts = append(counts, e.Effects)
		}
	}
	return counts
}

// redelivery says how the message came again: by the queue's own doing, or put
// on again by the replay.
func redelivery(events []Event) string {
	forced, natural := false, false
	for _, e := range events {
		forced = forced || e.Event == EventQueue && e.What == "redelivered"
		natural = natural || e.Event == EventQueue && e.What == "visibility_over"
	}
	switch {
	case forced:
		return "forced"
	case natural:
		return "natural"
	}
	return "none"
}
