package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
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
		Long:  sweepHelp,
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
	cmd.Flags().StringVar(&f.queueURL, "queue-url", "", "the queue's `URL`, of Sidekiq and Celery that of the broker (default: the variable QUEUE_URL, REDIS_URL or CELERY_BROKER_URL); needed with --apply")
	cmd.Flags().BoolVar(&f.apply, "apply", false, "do it; without this nothing is changed")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON (schema "+sweepSchema+")")
	cmd.Flags().BoolVar(&f.showKeys, "show-keys", false, "show the operation keys, which are your users' data")
	return cmd
}

func (f sweepFlags) run(ctx context.Context) error {
	if err := checkFolder(f.folder); err != nil {
		return err
	}
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
	options, err := f.options(ctx, j)
	if err != nil {
		return err
	}
	result, err := f.sweep(ctx, sweeper, options, j)
	return f.show(ctx, result, err)
}

func (f sweepFlags) options(ctx context.Context, j job.Job) (o twiceproof.SweepOptions, err error) {
	o.Apply, o.Fields = f.apply, storedFields(j)
	if f.apply {
		o.PutBack, err = putBack(ctx, j, queueAddress(j, f.queueURL))
	}
	return o, err
}

// sweep collects what the sweep tells, also of one that did not reach its end.
func (f sweepFlags) sweep(ctx context.Context, sweeper *twiceproof.Sweeper, options twiceproof.SweepOptions, j job.Job) (sweepResult, error) {
	result := sweepResult{Job: j.Type, Policy: string(j.Stale.Policy), Applied: f.apply, Actions: []sweptJSON{}}
	progress := &sweepProgress{w: f.std.err}
	options.Each = func(s twiceproof.Swept) {
		result.add(s, f.showKeys)
		progress.add()
	}
	stop := progress.start(2 * time.Second)
	report, err := sweeper.Sweep(ctx, options)
	stop()
	result.SweepReport, result.Complete = report, err == nil
	return result, err
}

func orVariable(flag, variable string) string {
	if flag != "" {
		return flag
	}
	return os.Getenv(variable)
}

// show prints what there is, also of a sweep that did not reach its end.
func (f sweepFlags) show(ctx context.Context, r sweepResult, stopped error) error {
	if err := show(f.std.out, f.json, r.json(), func(w io.Writer) error { return r.writeText(w, f.showKeys) }); err != nil {
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
		return &hinted.Error{What: stopped.Error(), Hint: "check --dsn, and that the database has the table"}
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
