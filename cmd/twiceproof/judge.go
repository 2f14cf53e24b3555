package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

const judgeSchema = "twiceproof.judge/1"

type judgeFlags struct {
	json bool
	std  stdio
}

const judgeHelp = `Judge what a replay has stored once more, and run nothing: the verdict is a function of
the plan and the history alone. HISTORY is an evidence folder, or one file of its folder
histories/; the plan.json of the folder says what was permitted.

What differs from the stored result is told: the history, the plan or the result was
changed since, or another version of twiceproof judges otherwise. So is a plan or a history
that is not the one which the result names by its SHA-256, whatever comes of it.

Exit status: 0 every verdict on the judged version is ok and as stored; 1 a violation, or
another verdict than the stored one; 2 usage or environment; 3 a case could not be told, or a
file is not as the replay left it.`

func judgeCommand(std stdio) *cobra.Command {
	f := judgeFlags{std: std}
	cmd := &cobra.Command{
		Use:   "judge HISTORY",
		Short: "Judge stored evidence again",
		Long:  judgeHelp,
		Example: `  twiceproof judge evidence/charge.create
  twiceproof judge evidence/charge.create/histories/new-killed_after_effect.jsonl`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args[0]) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON (schema "+judgeSchema+")")
	return cmd
}

func (f judgeFlags) run(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return &hinted.Error{What: err.Error(), Hint: "name an evidence folder, or a file of its folder histories/"}
	}
	folder, only := path, func(string) bool { return true }
	if !info.IsDir() {
		folder, only = filepath.Dir(filepath.Dir(path)), func(file string) bool { return file == filepath.Base(path) }
	}
	evidence := report.Evidence{Folder: folder}
	stored, err := evidence.ReadStored(only)
	if err != nil {
		return unreadEvidence(err)
	}
	switch {
	case len(stored) > 0:
	case info.IsDir():
		return &hinted.Error{What: "the plan has no case, so there is nothing to judge", Hint: "replay once more: the plan is written with the evidence"}
	default:
		return &hinted.Error{What: fmt.Sprintf("the plan has no case with the history %s", filepath.Base(path)), Hint: "name a file of histories/ as the replay wrote it"}
	}
	before, err := evidence.ReadResults()
	if err != nil {
		return &hinted.Error{What: err.Error(), Hint: "replay once more: the results are written with the evidence"}
	}
	altered := slices.DeleteFunc(evidence.Altered(before), func(name string) bool {
		return filepath.Dir(name) != "." && !only(filepath.Base(name)) // the plan is of all of them
	})
	return f.judge(stored, before, altered)
}

func unreadEvidence(err error) error {
	return &hinted.Error{What: err.Error(), Hint: "name an evidence folder with a plan.json, or a file of its folder histories/"}
}

// brokenHistory: the folder is the right one.
func brokenHistory(err error) error {
	return &hinted.Error{What: err.Error(), Hint: "the file was cut or changed, or is of a later version: replay once more, or take it from where the evidence is kept"}
}

func (f judgeFlags) judge(stored []report.Stored, before report.Report, altered []string) error {
	r := judgeJSON{Schema: judgeSchema, Judged: before.Judged, Cases: []judgedJSON{}, Altered: append([]string{}, altered...)}
	var results []judge.Result
	for _, s := range stored {
		if s.Broken != nil {
			return brokenHistory(s.Broken)
		}
		now := s.Judge()
		results = append(results, now)
		r.add(now, before)
	}
	r.Verdict = report.Overall(results, before.Judged)
	if err := show(f.std.out, f.json, r, r.text); err != nil {
		return err
	}
	switch {
	case r.Verdict == judge.Violation || r.Differ > 0:
		return &statusError{statusFound}
	case r.Verdict == judge.Unknown || len(altered) > 0:
		return &statusError{statusUnknown}
	}
	return nil
}
