package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/report"
)

type replayFlags struct {
	folder   string
	only     []string
	policy   string
	evidence string
	json     bool
	markdown bool
	plan     bool
	std      stdio
}

func replayCommand(std stdio) *cobra.Command {
	f := replayFlags{std: std}
	cmd := &cobra.Command{
		Use:   "replay [folder]",
		Short: "Prove a job: deliver, kill, count",
		Long: `Run the old and the new code of a job through every case: the same message again
and again, to two workers at once, with a worker killed where it hurts. The effects
are counted outside the worker.

The folder (default: this one) holds twiceproof.replay.yaml and twiceproof.yaml. What
is not given there is thrown away afterwards: a queue, a database, an outside
service, all on this machine.

Exit status: 0 the new code stood every case, 1 it did not, 2 usage or environment,
3 a case could not be told, 130 interrupted.`,
		Example: `  twiceproof replay examples/sqs-charge
  twiceproof replay --policy hold
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
	cmd.Flags().StringVar(&f.policy, "policy", "", "replay under another `policy` than the job file's")
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
	plan, err := replay.MakePlan(request)
	if err != nil {
		return err
	}
	if f.plan {
		e := json.NewEncoder(f.std.out)
		e.SetIndent("", "  ")
		return e.Encode(plan)
	}
	if err := replay.CheckSafe(request); err != nil {
		return err
	}
	return f.prove(ctx, request, plan)
}

// prove runs the plan. The evidence grows with each case, so that a replay that is
// interrupted leaves what it has seen.
func (f replayFlags) prove(ctx context.Context, request replay.Request, plan replay.Plan) error {
	evidence := report.Evidence{Folder: f.evidenceFolder(request)}
	r := newReport(ctx, request, f.evidenceBase(request))
	if err := errors.Join(evidence.Start(plan), evidence.WriteIncomplete(r)); err != nil {
		return evidenceProblem(err)
	}
	request.Keep = func(k replay.Kept) error {
		if k.Result != nil {
			r = soFar(r, append(r.Results, *k.Result))
		}
		if err := errors.Join(evidence.WriteCase(k), evidence.WriteIncomplete(r)); err != nil {
			return evidenceProblem(err)
		}
		return nil
	}
	progress := &report.Progress{W: f.std.err, Terminal: isTerminal(f.std.err), Total: len(plan.Cases)}
	request.Progress = progress.Show
	out, err := replay.Run(ctx, request, plan)
	progress.End()
	if err != nil {
		fmt.Fprintf(f.std.err, "evidence so far: %s\n", evidence.Folder)
		return err
	}
	return f.show(finish(r, out), evidence)
}

func evidenceProblem(err error) error {
	return &replay.Problem{What: "the evidence cannot be written: " + err.Error(), Hint: "name a folder that can be written to with --evidence"}
}

// load reads the replay file, the job file it names, and the policy to use.
func (f replayFlags) load() (replay.Request, error) {
	spec, err := jobfile.LoadReplay(filepath.Join(f.folder, jobfile.DefaultReplayName))
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
	if f.policy != "" {
		if file, text, err = otherPolicy(spec, file, text, job.Policy(f.policy)); err != nil {
			return replay.Request{}, err
		}
	}
	j, err := spec.JobOf(file)
	return replay.Request{
		Spec: spec, Job: j, Table: file.Table, JobFileText: text, PolicyText: jobfile.Explain(j),
		Only: f.only, Environ: os.Environ(), Rerun: f.rerun,
	}, err
}

func otherPolicy(spec *jobfile.Replay, file *jobfile.File, text []byte, policy job.Policy) (*jobfile.File, []byte, error) {
	j, err := spec.JobOf(file)
	if err != nil {
		return nil, nil, err
	}
	if spec.Environment.JobFile == "" {
		return nil, nil, &replay.Problem{
			What: "--policy has no way to reach the workers",
			Hint: "name the variable that carries the job file's path under environment.job_file in the replay file",
		}
	}
	if text, err = jobfile.WithPolicy(text, j, policy); err != nil {
		return nil, nil, err
	}
	changed, err := jobfile.Parse(spec.JobFilePath()+" with --policy "+string(policy), text)
	return changed, text, err
}

// evidenceFolder keeps apart what must not be mixed: the replay of the job as it is
// written, that of another policy, and a part of it.
func (f replayFlags) evidenceFolder(r replay.Request) string {
	folder := f.evidenceBase(r)
	if f.policy != "" {
		folder = filepath.Join(folder, "policy-"+f.policy)
	}
	if len(f.only) > 0 {
		folder = filepath.Join(folder, "only")
	}
	return folder
}

func (f replayFlags) evidenceBase(r replay.Request) string {
	if f.evidence != "" {
		return f.evidence
	}
	return filepath.Join(filepath.Dir(r.Spec.JobFilePath()), "evidence", r.Job.Type)
}
