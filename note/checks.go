package note

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// Check is one line of what was agreed and seen.
type Check struct {
	// Agreed is the number of the agreed check that it is part of.
	Agreed    int    `json:"agreed"`
	What      string `json:"what"`
	Permitted string `json:"permitted"`
	Old       string `json:"old"`
	New       string `json:"new"`
	Shown     Shown  `json:"shown"`

	label string
	why   string // it was not made, although it was agreed
}

// agreed are the agreed checks, one line for each case that is one. The permitted ends
// are the job package's own.
var agreed = []struct {
	number int
	label  string
	what   string
	ends   func(job.Job) []job.End
}{
	{1, "sequential", "the same message three times", anEnd},
	{2, "concurrent", "the same message to two workers at once", anEnd},
	{3, "killed_after_claim", "worker dies after the claim, before the effect", func(j job.Job) []job.End { return j.Ends(job.Moment{Claimed: true}) }},
	{3, "killed_after_effect", "worker dies after the effect, before completion", func(j job.Job) []job.End { return j.Ends(job.Moment{Claimed: true, Effect: true}) }},
	{3, "killed_twice", "so does the worker that recovers it", func(j job.Job) []job.End { return j.EndsTwice(job.Moment{Claimed: true, Effect: true}) }},
	{3, "killed_after_completion", "worker dies after completion", func(j job.Job) []job.End { return j.Ends(job.Moment{Claimed: true, Effect: true, Completed: true}) }},
	{4, "young_claim", "redelivery while the claim is younger than its lease", func(j job.Job) []job.End { return j.Ends(job.Moment{Claimed: true}) }},
	{4, "old_claim", "redelivery when the claim is older", func(j job.Job) []job.End { return j.Ends(job.Moment{Claimed: true}) }},
	{5, "two_operations", "operations with similar data, each", anEnd},
}

func anEnd(j job.Job) []job.End { return j.Ends(job.Moment{}) }

func checksOf(in Input) []Check {
	var checks []Check
	for _, a := range agreed {
		c := Check{Agreed: a.number, What: a.what, Permitted: endsText(a.ends(in.Job)), label: a.label, Shown: Unknown, New: "not run", Old: "not run"}
		if r, ok := find(in.Report, in.Report.Judged, a.label); ok {
			c.New, c.Shown, c.why = seen(in.Job, r)
		}
		for _, version := range others(in.Report) {
			if r, ok := find(in.Report, version, a.label); ok {
				c.Old, _, _ = seen(in.Job, r)
			}
		}
		checks = append(checks, c)
	}
	return checks
}

// others are the versions that the judged one is compared with.
func others(r report.Report) []string {
	return slices.DeleteFunc(report.Versions(r.Results), func(v string) bool { return v == r.Judged })
}

func find(r report.Report, version, label string) (judge.Result, bool) {
	for _, result := range of(r, version) {
		if result.Label() == label {
			return result, true
		}
	}
	return judge.Result{}, false
}

// seen is what a case showed, in a few words, and, where it was not made although it was
// agreed, why.
func seen(j job.Job, r judge.Result) (text string, shown Shown, why string) {
	switch r.Verdict.Verdict {
	case judge.OK:
		return "ok: " + counts(r), Yes, ""
	case judge.Violation:
		return strings.ReplaceAll(r.Kind, "_", " ") + ": " + counts(r), No, ""
	case judge.NotApplicable:
		if doesNotArise(j, r) {
			return "cannot arise", Yes, ""
		}
		return "not made", Unknown, r.Why
	}
	return "could not be told", Unknown, ""
}

// doesNotArise: an own row's claim is never seen, so it is neither young nor old. Every
// other agreed check has to be made.
func doesNotArise(j job.Job, r judge.Result) bool {
	return j.Effect.Kind == job.OwnRow && (r.Case == "young_claim" || r.Case == "old_claim")
}

// mend is what to do about a check that was not made.
func (c Check) mend() string {
	if strings.Contains(c.why, "SQLite has no wire") {
		return "replay it on PostgreSQL (database.kind in the replay file), where a worker can be stopped between its row and the COMMIT"
	}
	return "let the replay file give the case what it needs, and replay"
}

func counts(r judge.Result) string {
	text := effects(r.EffectsMin, r.EffectsMax)
	if r.Records > 0 {
		text += ", " + r.State
	}
	switch {
	case r.Runs > 1:
		return text + fmt.Sprintf(" (%d races)", r.Overlapped)
	case r.Operations > 1:
		return text + fmt.Sprintf(" each of %d", r.Operations)
	}
	return claimAge(r) + text
}

// claimAge is told of the claim that a case is about: at the redelivery within the
// lease, or just past it.
func claimAge(r judge.Result) string {
	switch {
	case r.LeaseMS == 0 || r.Verdict.Verdict != judge.OK:
		return ""
	case r.Case == "young_claim":
		return fmt.Sprintf("at %s of %s not taken over; then ", seconds(r.ClaimAgeMS), ms(r.LeaseMS))
	case r.Case == "old_claim":
		return fmt.Sprintf("at %s of %s by the policy: ", seconds(r.ClaimAgeMS), ms(r.LeaseMS))
	}
	return ""
}

func effects(least, most int) string {
	switch {
	case least != most:
		return fmt.Sprintf("%d to %d effects", least, most)
	case most == 1:
		return "1 effect"
	}
	return fmt.Sprintf("%d effects", most)
}

// endsText says how an operation may end: 1 effect, completed; or 0 or 1 effects, held.
func endsText(ends []job.End) string {
	var states []string
	byState := map[string][]string{}
	for _, e := range ends {
		if len(byState[e.State]) == 0 {
			states = append(states, e.State)
		}
		byState[e.State] = append(byState[e.State], fmt.Sprint(e.Effects))
	}
	texts := make([]string, len(states))
	for i, state := range states {
		counts := byState[state]
		word := "effects"
		if len(counts) == 1 && counts[0] == "1" {
			word = "effect"
		}
		texts[i] = strings.Join(counts, " or ") + " " + word + ", " + state
	}
	return strings.Join(texts, "; or ")
}

func ms(n int64) string {
	return jobfile.FormatDuration(time.Duration(n) * time.Millisecond)
}

// seconds leaves out what says nothing of a claim's age.
func seconds(n int64) string { return ms(n / 1000 * 1000) }
