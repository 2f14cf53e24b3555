package report

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/replay"
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
	{"A worker that dies after the claim and before the effect, and one that dies after the effect and before completion: a redelivery after the lease follows the written policy.", []string{"killed_after_claim", "killed_after_effect"}},
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
		if result.Verdict.Verdict == replay.NotApplicable {
			answers = append(answers, answer+result.Why)
			continue
		}
		answer += fmt.Sprintf("%s seen, %s permitted; %d record(s), %s", effects(result), permitted(result), result.Records, orNone(result.State))
		if result.Operations > 1 && result.Runs == 1 {
			answer += fmt.Sprintf("; so for each of %d operations", result.Operations)
		}
		if name == "young_claim" || name == "old_claim" {
			answer += "\n     - " + strings.Join(result.Facts, "\n     - ")
		}
		if result.Runs > 1 {
			answer += fmt.Sprintf("; %d runs in which both workers had it", result.Overlapped)
		}
		answers = append(answers, answer)
	}
	return answers
}

func yesOrNo(r replay.Result) string {
	return map[string]string{
		replay.OK: "yes", replay.Violation: "no", replay.Unknown: "could not be told", replay.NotApplicable: "does not apply",
	}[r.Verdict.Verdict]
}

func orNone(state string) string {
	if state == "" {
		return "none of ours"
	}
	return state
}
