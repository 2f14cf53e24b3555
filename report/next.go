package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// Repeats says in how many cases a version had its effect more often than permitted,
// and where; empty where it never had.
func Repeats(results []judge.Result, version string) string {
	const examples = 3
	var where []string
	n := 0
	for _, r := range results {
		if r.Version != version || r.Kind != judge.Duplicate {
			continue
		}
		if n++; n <= examples {
			where = append(where, r.Label()+" ("+effects(r)+")")
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s repeats the effect in %s%s", version, cases(n), inWords(where, n))
}

// inWords lists them; more than are there when n is larger.
func inWords(texts []string, n int) string {
	if n > len(texts) {
		return ", such as " + strings.Join(texts, ", ")
	}
	return ": " + strings.Join(texts, ", ")
}

func cases(n int) string {
	if n == 1 {
		return "1 case"
	}
	return fmt.Sprintf("%d cases", n)
}

// Meaning is what the exit status says of the judged version.
func Meaning(r Report) string {
	switch {
	case r.Verdict == judge.Violation:
		return fmt.Sprintf("exit status 1: %s did not stand every case", r.Judged)
	case r.Verdict == judge.Unknown && !anyFits(r.Results, r.Judged):
		return fmt.Sprintf("exit status 3: none of these cases fits %s, so nothing was told of it", r.Judged)
	case r.Verdict == judge.Unknown:
		return fmt.Sprintf("exit status 3: of %s a case could not be told", r.Judged)
	}
	return fmt.Sprintf("exit status 0: %s stood every case that fits it", r.Judged)
}

// hint is what to do about a result that is not ok, beside the sentence that says why.
func hint(r judge.Result) string {
	switch {
	case r.Verdict.Verdict != judge.Unknown && r.Kind != judge.Blocked:
		return ""
	case strings.Contains(r.Why, "the fault did not fire"):
		return "did the worker get as far as that? Its log tells; a slow one needs a longer timeouts.step in the replay file"
	case strings.Contains(r.Why, "still busy"):
		return "a worker that is slow, and not blocked, needs a longer timeouts.recovery in the replay file"
	}
	return ""
}

// printed names the file in the evidence folder that tells more of a result of which
// the worker itself knows the reason; empty for others.
func printed(r judge.Result) string {
	if r.Verdict.Verdict == judge.Unknown || r.Kind == judge.Stuck || r.Kind == judge.Lost || r.Kind == judge.Blocked {
		return filepath.ToSlash(logFile(judge.Planned{Version: r.Version, Case: r.Case, Point: r.Point}))
	}
	return ""
}
