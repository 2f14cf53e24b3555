package report

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// check is one of the agreed checks, in words for somebody who has never seen the
// tool, and the cases that are its evidence.
type check struct {
	what  string
	cases []string
}

var checks = []check{
	{"The same message, delivered three times one after another, has its effect once and leaves one completed record.", []string{"sequential"}},
	{"The same message, given to two workers at once, has its effect once, in every run.", []string{"concurrent"}},
	{
		"A worker that dies after the claim and before the effect, and one that dies after the effect and before completion: a redelivery after the lease follows the written policy. " +
			"So it does at every step of a recorded run, after a second death, after a call that came late, after an outcome that nobody knows, and after a shutdown.",
		[]string{"killed_after_claim", "killed_after_effect", "killed_twice", "every_step", "late_finisher", "unknown_outcome", "shutdown"},
	},
	{"A claim younger than its lease is not taken over; one older than its lease is handled by the policy and never skipped for ever.", []string{"young_claim", "old_claim"}},
	{"Two different operations with similar data both have their effect, once each.", []string{"two_operations"}},
}

// writeChecks answers each agreed check by what the judged version showed.
func writeChecks(b *strings.Builder, r Report) {
	fmt.Fprintf(b, "\n## The agreed checks, on the version `%s`\n\n", r.Judged)
	for i, c := range checks {
		var answers []string
		for _, name := range c.cases {
			answers = append(answers, answersOf(r, name)...)
		}
		if len(answers) == 0 {
			answers = []string{"not run"}
		}
		fmt.Fprintf(b, "%d. %s\n   - %s\n", i+1, c.what, strings.Join(answers, "\n   - "))
	}
}

// answersOf are what one case and its points showed.
func answersOf(r Report, name string) []string {
	var answers []string
	for _, result := range r.Results {
		if result.Version != r.Judged || result.Case != name {
			continue
		}
		answer := "**" + yesOrNo(result) + "** (`" + result.Label() + "`): "
		if result.Verdict.Verdict == judge.NotApplicable {
			answers = append(answers, answer+result.Why)
			continue
		}
		answer += fmt.Sprintf("%s seen, %s permitted; %s", effects(result), permitted(result), recordText(result))
		if result.Operations > 1 && result.Runs == 1 {
			answer += fmt.Sprintf("; %s %d operations", map[bool]string{true: "so for each of", false: "of"}[alike(result)], result.Operations)
		}
		for _, fact := range factsOf(result) {
			answer += "\n     - " + factText(result, fact)
		}
		if result.Runs > 1 && result.Case != judge.EveryStep {
			answer += fmt.Sprintf("; %d runs in which both workers had it", result.Overlapped)
		}
		answers = append(answers, answer)
	}
	return answers
}

func yesOrNo(r judge.Result) string {
	return map[string]string{
		judge.OK: "yes", judge.Violation: "no", judge.Unknown: "could not be told", judge.NotApplicable: "does not apply",
	}[r.Verdict.Verdict]
}

func recordText(r judge.Result) string {
	switch {
	case r.Records == 0:
		return "no record of ours"
	case r.State == "":
		return "not each has a record"
	case r.Records == 1:
		return "1 record, " + r.State
	}
	return fmt.Sprintf("%d records, %s", r.Records, r.State)
}

// factsOf are what an answer shows beside its numbers: all for a case about a claim's
// age, and how it ended for one with a fault.
func factsOf(r judge.Result) []string {
	switch {
	case len(r.Facts) == 0 || r.Case == "young_claim" || r.Case == "old_claim":
		return r.Facts
	case r.FaultFired:
		return r.Facts[len(r.Facts)-1:]
	}
	return nil
}

// factText leaves out the lease of code that has none.
func factText(r judge.Result, fact string) string {
	if r.Guarded {
		return fact
	}
	return strings.NewReplacer(" within the lease", "", "past the lease", "much later").Replace(fact)
}
