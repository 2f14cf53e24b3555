package note

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// remarksOf is what whoever signs should know, and what is no doubt about the new code.
func remarksOf(in Input) []string {
	var remarks []string
	versions := others(in.Report)
	if len(versions) == 0 {
		remarks = append(remarks, "No code from before was replayed beside it, so nothing is compared.")
	}
	for _, v := range report.Unbroken(in.Report.Results, in.Report.Judged) {
		remarks = append(remarks, fmt.Sprintf("No case broke the version %s either: is it the code that repeats?", v))
	}
	if missing := missingCases(in.Report); in.Report.ToolVersion != in.Version && len(missing) > 0 {
		remarks = append(remarks, fmt.Sprintf("The replay was made by another version (%s), which did not know %s: %s.", oneLine(in.Report.ToolVersion),
			count(len(missing), "case", "cases"), some(missing)))
	}
	if in.Report.Tree != nil && in.Report.Tree.Dirty {
		remarks = append(remarks, "The code that was replayed is in no commit: the folder had changes.")
	}
	if in.Report.Tree == nil {
		remarks = append(remarks, "Which state of the code was replayed is not known: it was not in git.")
	}
	if why := in.Since.Untold; why != "" {
		remarks = append(remarks, "Whether the code has changed since the replay could not be told: "+said(why)+".")
	}
	if fresh := in.Since.New; len(fresh) > 0 {
		remarks = append(remarks, "Files are new since the replay: "+said(some(fresh))+".")
	}
	return append(remarks, settingsOf(in)...)
}

// settingsOf tells of the settings under which the job runs.
func settingsOf(in Input) []string {
	const nobody = "Nobody has looked at the settings of the live database and queue: twiceproof doctor does."
	d := in.Doctor
	if d == nil {
		return []string{nobody}
	}
	var open []string
	for _, f := range d.Findings {
		if !f.Voids && f.Severity != "note" {
			open = append(open, fmt.Sprintf("%s (%s)", f.ID, f.Severity))
		}
	}
	var told []string
	if !d.live() {
		told = append(told, nobody)
	}
	switch {
	case len(open) > 0:
		told = append(told, fmt.Sprintf("Open settings, told by twiceproof doctor: %s.", some(open)))
	case d.live():
		told = append(told, "The settings were looked at by twiceproof doctor, which found none that repeats or loses.")
	}
	if len(d.CouldNotCheck) > 0 {
		gaps := make([]string, len(d.CouldNotCheck))
		for i, g := range d.CouldNotCheck {
			gaps[i] = g.ID
		}
		told = append(told, "It could not look at: "+some(gaps)+".")
	}
	return told
}

// some names a few, and how many more there are.
func some(texts []string) string {
	const most = 6
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// rest sums the cases up that have no line of their own.
func rest(r report.Report, version string) string {
	counted := map[string]int{}
	n := 0
	for _, result := range of(r, version) {
		if !hasLine(result.Label()) {
			counted[result.Verdict.Verdict]++
			n++
		}
	}
	if n == 0 {
		return "not run"
	}
	var parts []string
	for _, v := range []struct{ verdict, words string }{
		{judge.OK, "ok"}, {judge.Violation, "not ok"}, {judge.Unknown, "could not be told"}, {judge.NotApplicable, "do not apply"},
	} {
		if counted[v.verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counted[v.verdict], v.words))
		}
	}
	return strings.Join(parts, ", ")
}

func hasLine(label string) bool {
	for _, a := range agreed {
		if a.label == label {
			return true
		}
	}
	return false
}
