package main

import (
	"fmt"
	"path/filepath"

	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// tellNext are the last lines: what the status means, and what to do now.
func (f replayFlags) tellNext(r report.Report, evidence report.Evidence) {
	if job.Policy(r.Policy) == job.Resend && f.policy != "" && r.Verdict != judge.OK {
		fmt.Fprintln(f.std.err, "hint: under resend the outside service must know a reference again: is outside.remembers: true in the replay file?")
	}
	fmt.Fprintln(f.std.err, report.Meaning(r))
	next := "open " + shell.Word(filepath.Join(evidence.Folder, "report.md"))
	switch {
	case len(f.only) > 0:
		next += "; for the whole proof leave --only out"
	case f.fast:
		next += "; for the evidence to attach leave --fast out"
	case f.policy != "":
		next += ", which is about policy " + f.policy + " and not the job file's"
	default:
		next += ", and attach it to the pull request"
	}
	fmt.Fprintf(f.std.err, "next: %s\n", next)
}
