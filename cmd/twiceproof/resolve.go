package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

const resolveSchema = "twiceproof.resolve/1"

type resolveFlags struct {
	recordFlags
	done, drop, runAgain bool
	stdin, apply         bool
	why, by              string
	heldAt, heldUntil    string
	queueURL             string
}

const resolveHelp = `Write a person's decision into the record of a held operation, on the very hold that
they saw: with --held-at, which twiceproof held prints. When it has changed meanwhile,
since its worker came back or somebody else decided, nothing is changed, and what it is
now is told. Without --apply the record is shown before and after, and stays as it is.

  --done       the effect happened: completed, and no delivery acts on it any more
  --drop       it did not, and shall not: completed likewise, and the reason says dropped
  --run-again  it did not, and shall: a delivery acts on it, as if there had been no
               attempt; under the policy lookup it is looked up first. Its stored
               message is put back on the queue of --queue-url, QUEUE_URL, REDIS_URL
               (Sidekiq) or CELERY_BROKER_URL; without a queue it is left for the next sweep
               (under lookup after a lease).

Nothing is ever deleted. Who (--by) and why (--why) are kept in the record. A worker
that still had the old claim and finishes now changes nothing of it; late_finish_at
tells that it came.

--stdin takes many operations, for which the reason is the same, one a line: as
twiceproof held --lines prints them, or keys alone, together with --job and
--held-until, the time at which you listed them: what has been held later is refused.

Exit status: 0 done, or shown; 1 an operation was not held as it was seen, or may not be
run again, and stays as it is; 2 usage or environment, such as an account without the
right to update; 3 it could not be told whether a decision was stored, or a message put
back; 130 interrupted.`

func resolveCommand(std stdio) *cobra.Command {
	f := resolveFlags{recordFlags: recordFlags{std: std}}
	cmd := &cobra.Command{
		Use:   "resolve KEY",
		Short: "Decide on a held operation: it is done, or dropped, or run again",
		Long:  resolveHelp,
		Example: `  twiceproof resolve --job charge.create --held-at 2026-03-04T05:06:07.123456Z \
    --done --why "the bank shows it, ticket 41" --apply order-17`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needsOne(cmd.Flags(), "queue-url", "run-again"); err != nil {
				return err
			}
			return f.run(cmd.Context(), args)
		},
	}
	f.define(cmd, resolveSchema)
	flags := cmd.Flags()
	flags.BoolVar(&f.done, "done", false, "the effect happened")
	flags.BoolVar(&f.drop, "drop", false, "the effect did not happen, and shall not")
	flags.BoolVar(&f.runAgain, "run-again", false, "the effect did not happen, and shall")
	flags.StringVar(&f.why, "why", "", "the `reason`, which is kept")
	flags.StringVar(&f.by, "by", "", "`who` has decided, which is kept (default: user@host)")
	flags.StringVar(&f.heldAt, "held-at", "", "the `time` of the hold that you saw; needed with --apply")
	flags.StringVar(&f.heldUntil, "held-until", "", "with --stdin: the `time` at which you listed the keys")
	flags.StringVar(&f.queueURL, "queue-url", "", "the queue's `URL`, of Sidekiq and Celery that of the broker, for --run-again (default: the variable QUEUE_URL, REDIS_URL or CELERY_BROKER_URL)")
	flags.BoolVar(&f.stdin, "stdin", false, "read the operations, one a line")
	flags.BoolVar(&f.apply, "apply", false, "do it; without this nothing is changed")
	return cmd
}

func (f resolveFlags) run(ctx context.Context, args []string) error {
	do, err := f.decision()
	if err != nil {
		return err
	}
	if f.by == "" {
		f.by = userAtHost()
	}
	holds, err := f.holds(args)
	if err != nil {
		return err
	}
	t, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer t.db.Close()
	r, err := f.resolveAll(ctx, t, holds, do)
	if err != nil {
		return err
	}
	if err := show(f.std.out, f.json, r, r.text); err != nil {
		return err
	}
	return r.status()
}

func (f resolveFlags) resolveAll(ctx context.Context, t *recordTable, holds []hold, do admin.Decision) (resolveResult, error) {
	queue := &resolveQueue{flag: f.queueURL, apply: f.apply}
	r := resolveResult{Schema: resolveSchema, Table: t.name, Decision: string(do), Applied: f.apply, Operations: []resolvedJSON{}}
	for _, h := range holds {
		if r.over() {
			break
		}
		d, err := f.resolution(ctx, t, queue, h, do)
		if err != nil {
			return r, err
		}
		res, err := t.resolveOne(ctx, d, h)
		if ctx.Err() != nil && !res.Applied {
			r.stopped = ctx.Err()
			break
		}
		r.add(d, res, err)
	}
	return r, nil
}

// resolution is the decision about one operation.
func (f resolveFlags) resolution(ctx context.Context, t *recordTable, queue *resolveQueue, h hold, do admin.Decision) (d admin.Resolution, err error) {
	if h.job, err = t.jobOf(ctx, h.job); err != nil {
		return d, err
	}
	d = admin.Resolution{JobType: h.job, Key: h.key, Do: do, HeldAt: h.at, Why: f.why, By: f.by, Job: t.job(h.job), Apply: f.apply}
	if do != admin.RunAgain || d.Job == nil {
		if do == admin.RunAgain && queue.flag != "" {
			return d, &hinted.Error{What: fmt.Sprintf("no job file says what %q is, so its message cannot be put back", h.job), Hint: "give --file, or leave --queue-url away: the next sweep does it"}
		}
		return d, nil
	}
	d.Fields = storedFields(*d.Job)
	d.PutBack, err = queue.putBack(ctx, *d.Job)
	return d, err
}

// jobOf is the job that was named, or the only one there is.
func (t *recordTable) jobOf(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if t.file != nil && len(t.file.Jobs) == 1 {
		return t.file.Jobs[0].Type, nil
	}
	all, err := t.JobTypes(ctx)
	if err != nil {
		return "", unread(ctx, err)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return "", &hinted.Error{What: "there are several jobs and none is named", Hint: "give --job; there are records of " + list(all)}
}

// resolveOne takes a key that was listed until a time for the hold that is there, if
// that began before.
func (t *recordTable) resolveOne(ctx context.Context, d admin.Resolution, h hold) (admin.Resolved, error) {
	if !h.until.IsZero() {
		rec, there, err := t.Record(ctx, d.JobType, d.Key)
		if err != nil {
			return admin.Resolved{}, err
		}
		if !there || rec.State != "held" || rec.HeldAt.After(h.until) {
			return admin.Resolved{Before: rec}, &admin.MovedError{There: there, Now: rec}
		}
		d.HeldAt = rec.HeldAt
	}
	return t.Resolve(ctx, d)
}
