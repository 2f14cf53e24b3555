package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// newReport is the report as it is before the first case has ended.
func newReport(ctx context.Context, r replay.Request, plan judge.Plan, evidence string) report.Report {
	return report.Report{
		Schema: report.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second), ToolVersion: version(), Tree: treeOf(ctx, r.Spec.Resolve("."), evidence),
		Job: r.Job.Type, Queue: string(r.Job.Queue), Database: string(r.Spec.Database.Kind),
		Policy: string(r.Job.Stale.Policy), PolicyText: r.PolicyText, LeaseMS: r.Job.Lease.Milliseconds(), StoredLeaseMS: r.Job.StoredLease().Milliseconds(),
		Judged: report.Judged(plan), Verdict: judge.Unknown, Platform: map[string]string{"go": runtime.Version(), "twiceproof": version()},
		CannotSee: []string{}, Results: []judge.Result{}, Fast: r.Fast, RerunHow: rerunHow(ctx),
	}
}

// soFar adds the results that there are. Without all of them ok is not known.
func soFar(r report.Report, results []judge.Result) report.Report {
	r.Results = results
	if r.Verdict = report.Overall(results, r.Judged); r.Verdict == judge.OK {
		r.Verdict = judge.Unknown
	}
	return r
}

func finish(r report.Report, out replay.Outcome) report.Report {
	r = soFar(r, out.Results)
	r.Complete, r.Verdict, r.CannotSee = true, report.Overall(r.Results, r.Judged), out.CannotSee
	maps.Copy(r.Platform, out.Platform)
	return r
}

func (f replayFlags) show(r report.Report, histories map[string][]judge.Event, evidence report.Evidence) error {
	r.Files = evidence.Digests(r)
	if err := evidence.WriteReports(r, histories); err != nil {
		return evidenceProblem(err)
	}
	if err := f.print(r); err != nil && !errors.Is(err, syscall.EPIPE) { // a reader that has gone changes no verdict
		return err
	}
	fmt.Fprintf(f.std.err, "evidence: %s\n", evidence.Folder)
	if len(f.only) == 0 { // a part is no comparison
		for _, v := range report.Unbroken(r.Results, r.Judged) {
			fmt.Fprintf(f.std.err, "hint: no case broke %q either, so the comparison shows nothing; is it the code that repeats?\n", v)
		}
	}
	f.tellNext(r, evidence)
	switch r.Verdict {
	case judge.Violation:
		return &statusError{statusFound}
	case judge.Unknown:
		return &statusError{statusUnknown}
	}
	return nil
}

func (f replayFlags) print(r report.Report) error {
	switch {
	case f.json:
		return show(f.std.out, true, r, nil)
	case f.markdown:
		return show(f.std.out, false, nil, func(w io.Writer) error { return report.WriteMarkdown(w, r) })
	case isTerminal(f.std.out) && os.Getenv("NO_COLOR") == "":
		return report.WriteTable(f.std.out, r, report.Colours)
	}
	return report.WriteTable(f.std.out, r, report.Plain)
}

func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
