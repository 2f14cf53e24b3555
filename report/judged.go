package report

import (
	"slices"

	"github.com/twiceproof/twiceproof/replay"
)

// Judged is the version that a replay is about: the one called new, or else the
// last one. The others are evidence.
func Judged(results []replay.Result) string {
	judged := ""
	for _, r := range results {
		if judged = r.Version; judged == "new" {
			break
		}
	}
	return judged
}

// Overall is the verdict on the judged version. A violation that was seen counts
// also when something else is unknown. Where no case fits the version, nothing was told.
func Overall(results []replay.Result, judged string) string {
	overall := replay.OK
	if len(results) > 0 && !anyFits(results, judged) {
		overall = replay.Unknown
	}
	for _, r := range results {
		switch {
		case r.Version != judged:
		case r.Verdict.Verdict == replay.Violation:
			return replay.Violation
		case r.Verdict.Verdict == replay.Unknown:
			overall = replay.Unknown
		}
	}
	return overall
}

func anyFits(results []replay.Result, judged string) bool {
	return slices.ContainsFunc(results, func(r replay.Result) bool {
		return r.Version == judged && r.Verdict.Verdict != replay.NotApplicable
	})
}

// Versions are the code versions in the order of the results.
func Versions(results []replay.Result) []string {
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
func Unbroken(results []replay.Result, judged string) []string {
	var unbroken []string
	for _, v := range Versions(results) {
		told := slices.ContainsFunc(results, func(r replay.Result) bool {
			return r.Version == v && (r.Guarded || r.Verdict.Verdict == replay.Violation)
		})
		if v != judged && !told {
			unbroken = append(unbroken, v)
		}
	}
	return unbroken
}
