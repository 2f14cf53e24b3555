package report

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// Limit is what a pass means; it stands in every report.
const Limit = "ok means that none of these faults broke it, not that the code is correct"

// origin says when the replay was made, with what and of which code.
func origin(r Report) string {
	text := r.GeneratedAt.UTC().Format("2006-01-02 15:04:05 UTC") + " · twiceproof " + r.ToolVersion + " · " + treeText(r.Tree)
	if r.Fast {
		text += " · " + fast
	}
	return text
}

// fast is what a report of such a replay says in every form of it.
const fast = "with --fast: workers are forked from an interpreter that has loaded the libraries, where that can be"

func treeText(t *Tree) string {
	if t == nil {
		return "code not in git"
	}
	text := "code at " + t.Commit[:min(12, len(t.Commit))]
	if t.Dirty {
		text += " with changes"
	}
	return text
}

// outcome is a result in a word: its verdict, or the kind of its violation.
func outcome(r judge.Result) string {
	if r.Verdict.Verdict == judge.Violation {
		return r.Kind
	}
	return strings.ReplaceAll(r.Verdict.Verdict, "_", " ")
}

// numbers are a result's counts in a few words.
func numbers(r judge.Result) string {
	if r.Verdict.Verdict == judge.NotApplicable {
		return ""
	}
	text := effects(r)
	switch {
	case r.Records > 0 && r.State == "":
		text += ", not each with a record"
	case r.Records > 0:
		text += ", " + r.State
	}
	if r.Operations > 1 && r.Runs == 1 && r.Case != judge.EveryStep {
		text = fmt.Sprintf("%d operations, %s", r.Operations, text)
		if alike(r) {
			text += " each"
		}
	}
	if r.LateFinish && r.EffectsMax > 1 {
		text += ", suspected on record"
	}
	switch {
	case r.Case == judge.EveryStep:
		text += ", " + places(r.Runs)
	case r.Runs > 1:
		text += fmt.Sprintf(", %d of %d overlapped", r.Overlapped, r.Runs)
	}
	return text
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

// alike: the numbers are those of each operation. A state is shown of one that ended otherwise.
func alike(r judge.Result) bool {
	return r.EffectsMin == r.EffectsMax && (r.Records == 0 || r.Verdict.Verdict == judge.OK)
}

func effects(r judge.Result) string {
	switch {
	case r.EffectsMin != r.EffectsMax:
		return fmt.Sprintf("%d to %d effects", r.EffectsMin, r.EffectsMax)
	case r.EffectsMax == 1:
		return "1 effect"
	}
	return fmt.Sprintf("%d effects", r.EffectsMax)
}

// sentence is the whole replay in one sentence a version.
func sentence(r Report, version string) string {
	counts := map[string]int{}
	total := 0
	for _, result := range r.Results {
		if result.Version == version {
			counts[result.Verdict.Verdict]++
			total++
		}
	}
	text := fmt.Sprintf("%s: %d of %d cases ok", version, counts[judge.OK], total)
	for _, verdict := range []string{judge.Violation, judge.Unknown, judge.NotApplicable} {
		if n := counts[verdict]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, strings.ReplaceAll(verdict, "_", " "))
		}
	}
	return text
}
