package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

type replayFlags struct {
	folder   string
	only     []string
	evidence string
	json     bool
	markdown bool
	plan     bool
	rung     string
	slots    int
	fast     bool
	std      stdio
	policyFlags
}

const replayHelp = `Run the old and the new code of a job through every case: the same message again
and again, to two workers at once, with a worker killed where it hurts. The effects
are counted outside the worker.

The folder (default: this one) holds twiceproof.replay.yaml and twiceproof.yaml. A second
job of it has a replay file of its own, such as twiceproof.refund.create.replay.yaml, which
is named in the folder's place. What is not given there is thrown away afterwards: a queue, a database, an outside
service, all on this machine.

Exit status: 0 the new code stood every case, 1 it did not, 2 usage or environment,
3 a case could not be told, 130 interrupted.`

func replayCommand(std stdio) *cobra.Command {
	f := replayFlags{std: std}
	cmd := &cobra.Command{
		Use:   "replay [folder or replay file]",
		Short: "Prove a job: deliver, kill, count",
		Long:  replayHelp,
		Example: `  twiceproof replay examples/sqs-charge
  twiceproof replay --policy hold
  twiceproof replay --policy resend --reference-window 24h
  twiceproof replay --only new/killed_after_effect --json`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.folder = "."
			if len(args) == 1 {
				f.folder = args[0]
			}
			return f.run(cmd.Context())
		},
	}
	cmd.Flags().StringArrayVar(&f.only, "only", nil, "run this `case` only, as case, case/point or case/ (without its points), or version/ before it; may be repeated")
	cmd.Flags().StringVar(&f.rung, "rung", string(judge.Durable), "how much of every_step is done: durable (SIGKILL in each outside state), step (before and after every step), cut (the connection), pause (SIGSTOP past the lease) or pair (two kills, a sample)")
	cmd.Flags().IntVar(&f.slots, "slots", 1, "run so many cases side by side, each with a queue, a database and proxies of its own")
	cmd.Flags().BoolVar(&f.fast, "fast", false, "fork the workers from an interpreter that has loaded their libraries (Python, Ruby; Linux); the evidence says so and goes to fast/")
	f.define(cmd)
	cmd.Flags().StringVar(&f.evidence, "evidence", "", "the `folder` for plan, histories and reports (default: evidence/ beside the job file)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON (schema "+report.Schema+")")
	cmd.Flags().BoolVar(&f.markdown, "markdown", false, "print the report as Markdown")
	cmd.Flags().BoolVar(&f.plan, "plan", false, "print the plan as JSON and run nothing")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "plan")
	return cmd
}

func (f replayFlags) run(ctx context.Context) error {
	request, err := f.load()
	if err != nil {
		return err
	}
	if err := checkOnly(f.only, request.Spec); err != nil {
		return err
	}
	if err := checkRung(f.rung); err != nil {
		return err
	}
	if f.slots < 1 {
		return &hinted.Error{What: fmt.Sprintf("--slots %d: nothing would be run", f.slots), Hint: "write 1, or as many as there are processors"}
	}
	plan, err := replay.MakePlan(request)
	if err != nil {
		return err
	}
	plan.First = f.failedLast(request, plan)
	if f.plan {
		return show(f.std.out, true, plan, nil)
	}
	if err := replay.CheckSafe(request); err != nil {
		return err
	}
	return f.prove(ctx, request, plan)
}

// collectAt: the proxies' heap is small, and a worker's request that comes during a collection
// waits for it: the slowest of a hundred took three times as long with the usual 100.
const collectAt = 400

// prove runs the plan. The evidence grows with each case, so that a replay that is
// interrupted leaves what it has seen.
func (f replayFlags) prove(ctx context.Context, request replay.Request, plan judge.Plan) error {
	evidence := report.Evidence{Folder: f.evidenceFolder(request)}
	release, err := takeEvidence(evidence)
	if err != nil {
		return err
	}
	defer release()
	debug.SetGCPercent(collectAt)
	progress := &report.Progress{W: f.std.err, Terminal: isTerminal(f.std.err), Total: len(plan.Cases)}
	request.Progress = progress.Show
	r, started := newReport(ctx, request, plan, f.evidenceRoot(request)), false
	request.Prepared = func() error { // not earlier: what cannot be replayed must not cost the evidence that is there
		err := startEvidence(evidence, plan, r)
		if started = err == nil; started {
			progress.Say(report.First(plan))
		}
		return err
	}
	request.Keep = func(k replay.Kept) error {
		if k.Result != nil {
			r = soFar(r, plan.InOrder(append(r.Results, *k.Result)))
		}
		return keepEvidence(evidence, k, r)
	}
	out, err := replay.Run(ctx, request, plan)
	progress.End()
	if err != nil {
		if started {
			fmt.Fprintf(f.std.err, "evidence so far: %s\n", evidence.Folder)
		}
		return err
	}
	return f.show(finish(r, out), out.Histories, evidence)
}

// load reads the replay file, the job file it names, and the policy to use.
func (f replayFlags) load() (replay.Request, error) {
	path := f.folder
	if !strings.HasSuffix(path, ".replay.yaml") { // that of a second job in one folder has a name of its own
		path = filepath.Join(path, jobfile.DefaultReplayName)
		if err := checkFolder(f.folder); err != nil {
			return replay.Request{}, err
		}
	}
	spec, err := jobfile.LoadReplay(path)
	if err != nil {
		return replay.Request{}, err
	}
	file, err := jobfile.Load(spec.JobFilePath())
	if err != nil {
		return replay.Request{}, err
	}
	text, err := os.ReadFile(spec.JobFilePath())
	if err != nil {
		return replay.Request{}, err
	}
	if file, text, err = f.apply(spec, file, text); err != nil {
		return replay.Request{}, err
	}
	j, err := spec.JobOf(file)
	return replay.Request{
		Spec: spec, Job: j, Table: file.Table, JobFileText: text, PolicyText: jobfile.Explain(j),
		Only: f.only, Rung: judge.Rung(f.rung), Slots: f.slots, Fast: f.fast, Environ: os.Environ(), Rerun: f.rerun,
	}, err
}
