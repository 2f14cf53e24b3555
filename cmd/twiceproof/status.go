package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/admin"
)

const statusSchema = "twiceproof.status/1"

const statusHelp = `Count the records of each job type, by the database's clock:

  live           claims that are good; stale: whose lease is over
  given up       claims whose holder left by itself: released (surely not applied) or
                 unknown
  held           operations that wait for a person, by reason
  completed      acted, found (by a look-up), assumed (accept_miss), resolved (by a
                 person), backfilled (done before the guard existed)
  late finishes  a worker that had lost its claim came back: a second effect may exist
  repeats        deliveries that found their operation done, a lower bound

Nothing is changed. The table has no index but its key, which makes the guard fast, so
all of it is read, in pages of 1000 that lock nothing: think of ten seconds or so for a
million records, and of --job for a part. On a terminal it says how far it is.

A claim is overdue when it has been stale for longer than its lease, and than the
job's, or 15 minutes where no job file says what that is: no message has brought it to
an end, so look whether the sweep runs.

Exit status: 0 nothing waits; 1 an operation waits for a person, or a claim is overdue;
2 usage or environment; 130 interrupted.`

func statusCommand(std stdio) *cobra.Command {
	f := recordFlags{std: std}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Count the records of each job, by state and age",
		Long:  statusHelp,
		Example: `  twiceproof status
  twiceproof status --dsn postgres://app@db/shop --table idempotency_records`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.status(cmd.Context()) },
	}
	f.define(cmd, statusSchema)
	return cmd
}

func (f recordFlags) status(ctx context.Context) error {
	t, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer t.db.Close()
	looked, end := walkProgress(f.std.err)
	all, err := t.Status(ctx, admin.Walk{JobType: f.job, Looked: looked}, t.lease)
	end()
	if err != nil {
		return unread(ctx, err)
	}
	r := statusResult{Schema: statusSchema, Table: t.name, Jobs: []statusJSON{}}
	for _, s := range all {
		r.add(s)
	}
	if err := show(f.std.out, f.json, r, func(w io.Writer) error { return r.text(w, all) }); err != nil {
		return err
	}
	if r.Held > 0 || r.Overdue > 0 {
		return &statusError{statusFound}
	}
	return nil
}

// statusResult is described in docs/json.md.
type statusResult struct {
	Schema  string       `json:"schema"`
	Table   string       `json:"table"`
	Held    int64        `json:"held"`
	Overdue int64        `json:"overdue"`
	Jobs    []statusJSON `json:"jobs"`
}

type statusJSON struct {
	Job           string           `json:"job"`
	Live          int64            `json:"live"`
	Stale         int64            `json:"stale"`
	Released      int64            `json:"released"`
	Unknown       int64            `json:"unknown"`
	Overdue       int64            `json:"overdue"`
	Held          map[string]int64 `json:"held"`
	Completed     map[string]int64 `json:"completed"`
	LateFinishes  int64            `json:"late_finishes"`
	Repeats       int64            `json:"repeats"`
	OldestStaleMS int64            `json:"oldest_stale_ms"`
	OldestHeldMS  int64            `json:"oldest_held_ms"`
}

func (r *statusResult) add(s admin.Status) {
	r.Held += s.HeldInAll()
	r.Overdue += s.Overdue
	r.Jobs = append(r.Jobs, statusJSON{
		s.JobType, s.Live, s.Stale, s.Released, s.Unknown, s.Overdue, s.Held, s.Completed, s.LateFinishes, s.Repeats,
		s.OldestStale.Milliseconds(), s.OldestHeld.Milliseconds(),
	})
}

func (r statusResult) text(out io.Writer, all []admin.Status) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(all) == 0 {
		fmt.Fprintf(t, "%s has no records\n", r.Table)
	}
	for _, s := range all {
		statusOf(t, s)
	}
	if r.Held > 0 {
		fmt.Fprintf(t, "held: %d; twiceproof held shows what to decide\n", r.Held)
	}
	if r.Overdue > 0 {
		fmt.Fprintf(t, "overdue: %d; does twiceproof sweep --apply run?\n", r.Overdue)
	}
	return t.Flush()
}

func statusOf(t io.Writer, s admin.Status) {
	fmt.Fprintln(t, s.JobType)
	statusRow(t, "live", s.Live, "")
	statusRow(t, "stale", s.Stale, "")
	statusRow(t, "given up", s.Released+s.Unknown, fmt.Sprintf("%d released, %d unknown", s.Released, s.Unknown))
	statusRow(t, "held", s.HeldInAll(), counts(s.Held)+"; the oldest for "+roughly(s.OldestHeld))
	done := int64(0)
	for _, n := range s.Completed {
		done += n
	}
	statusRow(t, "completed", done, counts(s.Completed))
	statusRow(t, "late finishes", s.LateFinishes, "a second effect may exist")
	statusRow(t, "repeats", s.Repeats, "found done, and not done again")
	if s.OldestStale > 0 {
		fmt.Fprintf(t, "  the oldest stale claim is stale for %s\n", roughly(s.OldestStale))
	}
}

func statusRow(w io.Writer, what string, n int64, more string) {
	if n == 0 {
		more = ""
	}
	fmt.Fprintf(w, "  %s\n", strings.TrimRight(fmt.Sprintf("%s\t%d\t%s", what, n, more), "\t"))
}

// counts are the most frequent first.
func counts(of map[string]int64) string {
	names := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(names, func(a, b string) int { return int(min(1, max(-1, of[b]-of[a]))) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", of[name], name)
	}
	return strings.Join(names, ", ")
}
