package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// FailedLast names those cases of the plan that were a violation or unknown when they
// were last run, by the evidence in the folders: first those of the judged version, then
// the others, each in the plan's order. Evidence that is not there, or is none, names none.
func FailedLast(plan judge.Plan, folders ...Evidence) []string {
	var runs []lastRun
	for _, e := range folders {
		if run, err := e.lastRun(); err == nil {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b lastRun) int { return a.report.GeneratedAt.Compare(b.report.GeneratedAt) })
	failed := map[string]bool{}
	for _, run := range runs {
		run.tell(failed)
	}
	return firstOf(plan, failed)
}

// lastRun is what a folder keeps of the last replay, also of one that was interrupted.
type lastRun struct {
	first  []string // what that one was to run first
	report Report
}

func (e Evidence) lastRun() (run lastRun, err error) {
	if run.report, err = e.ReadResults(); err != nil {
		return run, err
	}
	var plan judge.Plan
	text, err := os.ReadFile(filepath.Join(e.Folder, planFile))
	if err == nil && json.Unmarshal(text, &plan) == nil {
		run.first = plan.First
	}
	return run, nil
}

// tell: what was to be run first and has no result, since the replay was interrupted
// before, has not been mended.
func (run lastRun) tell(failed map[string]bool) {
	for _, name := range run.first {
		failed[name] = true
	}
	for _, r := range run.report.Results {
		failed[r.Name()] = r.Verdict.Verdict == judge.Violation || r.Verdict.Verdict == judge.Unknown
	}
}

// First says what is run before the rest, and why; empty where nothing is.
func First(plan judge.Plan) string {
	const examples = 3
	n := len(plan.First)
	if n == 0 || len(plan.Cases) == 1 {
		return ""
	}
	return fmt.Sprintf("run first, for it failed last time: %s%s", cases(n), inWords(plan.First[:min(examples, n)], n))
}

func firstOf(plan judge.Plan, failed map[string]bool) (first []string) {
	judged := Judged(plan)
	for _, ofJudged := range []bool{true, false} {
		for _, c := range plan.Cases {
			if failed[c.Name()] && c.NotApplicable == "" && (c.Version == judged) == ofJudged {
				first = append(first, c.Name())
			}
		}
	}
	return first
}
