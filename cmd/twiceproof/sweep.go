package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/sqsconsumer"
)

type sweepFlags struct {
	folder   string
	job      string
	dsn      string
	queueURL string
	apply    bool
	json     bool
	showKeys bool
	std      stdio
}

func sweepCommand(std stdio) *cobra.Command {
	f := sweepFlags{std: std}
	cmd := &cobra.Command{
		Use:   "sweep [folder]",
		Short: "Handle stale claims for which no message comes any more",
		Long: `Walk through a job's records once and handle each stale claim: one whose worker
vanished, or let go, and whose message may have been lost by the queue.

Without --apply nothing is changed: what would be done is counted. With --apply each
gets what a delivery of its message would get. Under the policies hold and accept_miss,
and where a limit is reached, that is written into the record. Where a delivery would
take over, the stored message is put back on the queue, so that one comes. This happens
at most once in the job's lease for each operation, and max_takeovers times (5) in all;
then, or when no message is stored, or one that is not of its own record, the operation
is held. A claim that its holder let go is given a lease for its message to come back
by itself before that is put back, and nothing is held for the want of a message before
the claim has been stale for a lease.

It may be killed and run again at any time, and run twice at once. A backlog needs
several sweeps: what one has put back is waiting for the next ones until a worker has
handled it, and claims that were let go rest one more lease before they are put back.

The folder (default: this one) holds twiceproof.yaml. The Amazon SQS client is set up
by the usual AWS variables and files.

Actions: put_back, hold, assume (accept_miss: taken as done). Reasons: worker_vanished,
unknown_outcome (its holder gave it up), released (surely not applied), and those of a
hold: max_takeovers, max_lookups, max_acts, max_requeues, reference_window, no_message,
other_message, mode_changed. "waiting" are stale claims whose message may still come
back by itself, "moved" those on which somebody else acted in the same moment.

With --json one object is printed: "schema" (` + sweepSchema + `: fields are only added),
"job", "policy", "applied", "complete" (false: the rest was not looked at), "put_back",
"held", "assumed", "failed", "waiting", "moved" (numbers), and "actions", a list in the
order of the keys: "action", "reason", "stale_ms" (since the claim became stale),
"age_ms" (since the operation was first claimed), "done", "error" if it failed, and
"key" with --show-keys.

Exit status: 0 nothing to do, or all of it done; 1 there is something to do (only
without --apply); 2 usage or environment; 3 it could not be told whether something was
done, or the sweep did not reach its end; 130 interrupted.`,
		Example: `  twiceproof sweep                  # a check: exit status 1 when there is something to do
  twiceproof sweep --apply          # every minute or so
  twiceproof sweep --job charge.create --show-keys`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.folder = "."
			if len(args) == 1 {
				f.folder = args[0]
			}
			return f.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&f.job, "job", "", "the `job` of the job file; needed when it has several")
	cmd.Flags().StringVar(&f.dsn, "dsn", "", dsnHelp)
	cmd.Flags().StringVar(&f.queueURL, "queue-url", "", "the queue's `URL` (default: the variable QUEUE_URL); needed with --apply")
	cmd.Flags().BoolVar(&f.apply, "apply", false, "do it; without this nothing is changed")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON (schema "+sweepSchema+")")
	cmd.Flags().BoolVar(&f.showKeys, "show-keys", false, "show the operation keys, which are your users' data")
	return cmd
}

func (f sweepFlags) run(ctx context.Context) error {
	file, err := jobfile.Load(filepath.Join(f.folder, jobfile.DefaultName))
	if err != nil {
		return err
	}
	j, err := file.Job(f.job)
	if err != nil {
		return err
	}
	db, dialect, err := openRecords(ctx, orVariable(f.dsn, "DATABASE_URL"), file.Table)
	if err != nil {
		return err
	}
	defer db.Close()
	sweeper, err := twiceproof.NewSweeper(db, dialect, j, file.Table)
	if err != nil {
		return err
	}
	options := twiceproof.SweepOptions{Apply: f.apply}
	if j.Queue == job.SQS {
		options.Fields = sqsconsumer.FieldsOf
	}
	if f.apply {
		if options.PutBack, err = putBack(ctx, j, orVariable(f.queueURL, "QUEUE_URL")); err != nil {
			return err
		}
	}
	result := sweepResult{Schema: sweepSchema, Job: j.Type, Policy: string(j.Stale.Policy), Applied: f.apply, Actions: []sweptJSON{}}
	progress := &sweepProgress{w: f.std.err}
	options.Each = func(s twiceproof.Swept) {
		result.add(s, f.showKeys)
		progress.add()
	}
	stop := progress.start(2 * time.Second)
	report, err := sweeper.Sweep(ctx, options)
	stop()
	result.SweepReport, result.Complete = report, err == nil
	return f.show(ctx, result, err)
}

func orVariable(flag, variable string) string {
	if flag != "" {
		return flag
	}
	return os.Getenv(variable)
}

// show prints what there is, also of a sweep that did not reach its end.
func (f sweepFlags) show(ctx context.Context, r sweepResult, stopped error) error {
	print := r.writeText
	if f.json {
		print = r.writeJSON
	}
	if err := print(f.std.out, f.showKeys); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	if r.Failed > 0 {
		line(f.std.err, fmt.Sprintf("of %d stale claims it could not be told whether they were handled, such as: %s", r.Failed, r.firstError),
			r.failedHint(f.showKeys))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case stopped != nil && r.Failed == 0 && len(r.Actions) == 0:
		return &replay.Problem{What: stopped.Error(), Hint: "check --dsn, and that the database has the table"}
	case stopped != nil:
		line(f.std.err, "the rest was not looked at: "+stopped.Error(), "run it again; what was done stays done")
		return &statusError{statusUnknown}
	case r.Failed > 0:
		return &statusError{statusUnknown}
	case !r.Applied && len(r.Actions) > 0:
		return &statusError{statusFound}
	}
	return nil
}
