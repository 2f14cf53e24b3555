package report

import (
	"slices"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// Judged is the version that a replay is about: the one called new, or else the
// last one. The others are evidence. It is the plan's to say: a replay that was interrupted
// has results of the others alone.
func Judged(plan judge.Plan) string {
	judged := ""
	for _, c := range plan.Cases {
		if judged = c.Version; judged == "new" {
			break
		}
	}
	return judged
}

// Overall is the verdict on the judged version. A violation that was seen counts
// also when something else is unknown. Where no case fits the version, nothing was told.
func Overall(results []judge.Result, judged string) string {
	overall := judge.OK
	if len(results) > 0 && !anyFits(results, judged) {
		overall = judge.Unknown
	}
	for _, r := range results {
		switch {
		case r.Version != judged:
		case r.Verdict.Verdict == judge.Violation:
			return judge.Violation
		case r.Verdict.Verdict == judge.Unknown:
			overall = judge.Unknown
		}
	}
	return overall
}

func anyFits(results []judge.Result, judged string) bool {
	return slices.ContainsFunc(results, func(r judge.Result) bool {
		return r.Version == judged && r.Verdict.Verdict != judge.NotApplicable
	})
}

// Versions are the code versions in the order of the results.
func Versions(results []judge.Result) []string {
	var versions []string
	for _, r := range results {
		if !slices.Contains(versions, r.Version) {
			versions = append(versions, r.Version)
		}
	}
	return versions
}

// Unbroken names the versions beside the judged one in which no case found
// anything: then the comparison shows nothing. A guarded one is not compared with.
func Unbroken(results []judge.Result, judged string) []string {
	var unbroken []string
	for _, v := range Versions(results) {
		told := slices.ContainsFunc(results, func(r judge.Result) bool {
			return r.Version == v && (r.Guarded || r.Verdict.Verdict == judge.Violation)
		})
		if v != judged && !told {
			unbroken = append(unbroken, v)
		}
	}
	return unbroken
}
