package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
)

const pruneSchema = "twiceproof.prune/1"

// shortest is how long a redelivery may take, for what is known: Amazon SQS keeps a
// message for up to 14 days, and a dead-letter queue for up to 14 more.
const shortest = 30 * 24 * time.Hour

type pruneFlags struct {
	recordFlags
	olderThan   string
	evidenceToo bool
	apply       bool
	yesShorter  bool
}

const pruneHelp = `Delete records that were completed longer ago than --older-than, by the database's
clock. Never one that is claimed or held. Those that are evidence of something (assumed,
resolved, or with a late finish) only with --evidence-too. Without --apply nothing is
changed: what would be deleted is counted, for each job type.

A record is what makes a redelivery do nothing, so it has to be kept for longer than any
delivery of its message may still come. The rule: how long the queue keeps a message,
and its dead-letter queue, and the longest delay with which a job is enqueued, added up.
Amazon SQS keeps a message for at most 14 days and a dead letter for 14 more. So less
than 30 days, or than the retention that the job file names, is warned of, and with
--apply it needs --yes-shorter.

The table is read in pages of 1000 records, and each page is deleted from in a short
transaction of its own, which waits a second at most for a row that somebody else
holds. It may be killed at any point and run again, and run twice at once.

Exit status: 0 done, or nothing to delete; 1 there is something to delete (only without
--apply); 2 usage or environment, such as an account without the right to delete; 3 the table was not walked to its end, or some of it
was left since somebody else held on to it: run it again; 130 interrupted.`

func pruneCommand(std stdio) *cobra.Command {
	f := pruneFlags{recordFlags: recordFlags{std: std}}
	cmd := &cobra.Command{
		Use:   "prune --older-than 45d",
		Short: "Delete records that were completed long ago",
		Long:  pruneHelp,
		Example: `  twiceproof prune --older-than 45d
  twiceproof prune --older-than 45d --apply      # every night`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	f.define(cmd, pruneSchema)
	cmd.Flags().StringVar(&f.olderThan, "older-than", "", "how `long` ago a record was completed, such as 45d; needed")
	cmd.Flags().BoolVar(&f.evidenceToo, "evidence-too", false, "also assumed and resolved ones, and those with a late finish")
	cmd.Flags().BoolVar(&f.yesShorter, "yes-shorter", false, "also when it is shorter than a redelivery may take")
	cmd.Flags().BoolVar(&f.apply, "apply", false, "do it; without this nothing is changed")
	return cmd
}

func (f pruneFlags) run(ctx context.Context) error {
	age, err := f.age()
	if err != nil {
		return err
	}
	t, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer t.db.Close()
	short := tooShort(age, t, f.job)
	if short != "" && f.apply && !f.yesShorter {
		return &hinted.Error{What: short, Hint: "keep records for longer, or say --yes-shorter when no delivery can come that late"}
	}
	if short != "" {
		fmt.Fprintf(f.std.err, "warning: %s\n", short)
	}
	looked, end := walkProgress(f.std.err)
	all, err := t.Prune(ctx, admin.PruneOptions{
		Walk: admin.Walk{JobType: f.job, Looked: looked}, OlderThan: age, EvidenceToo: f.evidenceToo, Apply: f.apply,
	})
	end()
	r := pruneResult{Schema: pruneSchema, Table: t.name, OlderThanMS: age.Milliseconds(), EvidenceToo: f.evidenceToo, Applied: f.apply, Complete: err == nil, Jobs: []prunedJSON{}}
	for _, p := range all {
		r.add(p)
	}
	return f.tell(ctx, r, err)
}

func (f pruneFlags) age() (time.Duration, error) {
	if f.olderThan == "" {
		return 0, &hinted.Error{What: "it is not said how old a record must be", Hint: "give --older-than, such as 45d"}
	}
	age, err := jobfile.ParseDuration(f.olderThan)
	if err != nil || age <= 0 {
		return 0, &hinted.Error{What: fmt.Sprintf("--older-than is no duration that can be used: %q", f.olderThan), Hint: "write one such as 45d"}
	}
	return age, nil
}

// tooShort says so when a redelivery may still come; empty when it is long enough.
func tooShort(age time.Duration, t *recordTable, jobType string) string {
	if age < shortest {
		return fmt.Sprintf("%s is shorter than the %s that a redelivery may take", jobfile.FormatDuration(age), jobfile.FormatDuration(shortest))
	}
	if t.file != nil {
		for _, j := range t.file.Jobs {
			if (jobType == "" || j.Type == jobType) && age < j.Retention {
				return fmt.Sprintf("%s is shorter than the retention of %s, %s", jobfile.FormatDuration(age), j.Type, jobfile.FormatDuration(j.Retention))
			}
		}
	}
	return ""
}

// tell also shows what was deleted before something stopped it.
func (f pruneFlags) tell(ctx context.Context, r pruneResult, stopped error) error {
	refused := refusedBy(stopped, r.Table, "SELECT, DELETE")
	if stopped != nil && len(r.Jobs) == 0 {
		return cmp.Or(refused, unread(ctx, stopped))
	}
	if err := show(f.std.out, f.json, r, r.text); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case refused != nil:
		return refused
	case stopped != nil:
		line(f.std.err, "the rest was not looked at: "+stopped.Error(), "run it again; what was deleted stays deleted")
		return &statusError{statusUnknown}
	case r.Left > 0:
		line(f.std.err, fmt.Sprintf("%d records were left, since somebody else held on to them or to one beside them", r.Left), "run it again")
		return &statusError{statusUnknown}
	case !r.Applied && r.Deleted > 0:
		return &statusError{statusFound}
	}
	return nil
}

// pruneResult is described in docs/json.md.
type pruneResult struct {
	Schema      string       `json:"schema"`
	Table       string       `json:"table"`
	OlderThanMS int64        `json:"older_than_ms"`
	EvidenceToo bool         `json:"evidence_too"`
	Applied     bool         `json:"applied"`
	Complete    bool         `json:"complete"`
	Deleted     int64        `json:"deleted"`
	Evidence    int64        `json:"evidence_kept"`
	Left        int64        `json:"left"`
	Jobs        []prunedJSON `json:"jobs"`
}

type prunedJSON struct {
	Job      string `json:"job"`
	Deleted  int64  `json:"deleted"`
	Evidence int64  `json:"evidence_kept"`
	Left     int64  `json:"left"`
}

func (r *pruneResult) add(p admin.Pruned) {
	r.Deleted += p.Deleted
	r.Evidence += p.Evidence
	r.Left += p.Left
	r.Jobs = append(r.Jobs, prunedJSON{p.JobType, p.Deleted, p.Evidence, p.Left})
}

func (r pruneResult) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	what := "deleted"
	if !r.Applied {
		what = "to delete"
	}
	fmt.Fprintf(t, "%d %s", r.Deleted, what)
	if !r.Applied {
		fmt.Fprint(t, "; nothing was changed")
	}
	fmt.Fprintln(t)
	for _, j := range r.Jobs {
		var more []string
		if j.Evidence > 0 {
			more = append(more, fmt.Sprintf("%d kept as evidence", j.Evidence))
		}
		if j.Left > 0 {
			more = append(more, fmt.Sprintf("%d left", j.Left))
		}
		fmt.Fprintf(t, "  %s\n", strings.TrimRight(fmt.Sprintf("%s\t%d\t%s", j.Job, j.Deleted, strings.Join(more, ", ")), "\t"))
	}
	return t.Flush()
}
