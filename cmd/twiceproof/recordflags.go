package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/admin"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// recordFlags say which records: they are the same for all commands of the person who
// looks after them.
type recordFlags struct {
	file  string
	table string
	job   string
	dsn   string
	json  bool
	std   stdio
}

func (f *recordFlags) define(cmd *cobra.Command, schema string) {
	cmd.Flags().StringVar(&f.file, "file", "", "the job `file`, for the table's name and what the jobs are (default: "+jobfile.DefaultName+", if it is here)")
	cmd.Flags().StringVar(&f.table, "table", "", "the table's `name`; no job file is read then")
	cmd.Flags().StringVar(&f.job, "job", "", "the `job` type alone")
	cmd.Flags().StringVar(&f.dsn, "dsn", "", dsnHelp)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON (schema "+schema+")")
}

// recordTable is the opened table.
type recordTable struct {
	*admin.Records
	db   *sql.DB
	name string
	file *jobfile.File // nil: none
}

func (f recordFlags) open(ctx context.Context) (*recordTable, error) {
	t := &recordTable{name: dialect.Table}
	if f.table != "" && f.file != "" {
		return nil, &hinted.Error{What: "--table and --file exclude each other", Hint: "the job file names the table"}
	}
	if f.table != "" {
		t.name = f.table
	} else if err := t.load(f.file); err != nil {
		return nil, err
	}
	db, d, err := openRecords(ctx, orVariable(f.dsn, "DATABASE_URL"), t.name)
	if err != nil {
		return nil, err
	}
	t.db = db
	if t.Records, err = admin.Open(t.db, string(d), t.name); err == nil {
		err = t.knows(ctx, f.job)
	}
	if err != nil {
		_ = t.db.Close()
		return nil, err
	}
	return t, nil
}

func (t *recordTable) load(path string) (err error) {
	if path == "" {
		if _, err := os.Stat(jobfile.DefaultName); errors.Is(err, os.ErrNotExist) {
			return nil
		}
		path = jobfile.DefaultName
	}
	if t.file, err = loadNamed(path); err == nil {
		t.name = t.file.Table
	}
	return err
}

// knows: a job that was typed wrongly has no records, which must not look like a good
// sign.
func (t *recordTable) knows(ctx context.Context, jobType string) error {
	if jobType == "" || t.job(jobType) != nil {
		return nil
	}
	all, err := t.JobTypes(ctx)
	if err != nil {
		return &hinted.Error{What: err.Error(), Hint: "check --dsn, and that the database has the table " + t.name}
	}
	for _, known := range all {
		if known == jobType {
			return nil
		}
	}
	return &hinted.Error{What: fmt.Sprintf("there is no job %q in the job file, and no record of it", jobType), Hint: "there are records of " + list(all)}
}

func list(all []string) string {
	if len(all) == 0 {
		return "no job at all"
	}
	return strings.Join(all, ", ")
}

// job is what the job file says; nil where it says nothing.
func (t *recordTable) job(jobType string) *job.Job {
	if t.file == nil {
		return nil
	}
	for i, j := range t.file.Jobs {
		if j.Type == jobType {
			return &t.file.Jobs[i]
		}
	}
	return nil
}

func (t *recordTable) lease(jobType string) time.Duration {
	if j := t.job(jobType); j != nil {
		return j.StoredLease()
	}
	return 0
}

// unread: the table could not be read to its end.
func unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &hinted.Error{What: err.Error(), Hint: "run it again; nothing was changed"}
}

// refusedBy is what to tell when the database has answered with certainty that it did not
// do it; nil when it has not.
func refusedBy(err error, table, rights string) error {
	var refused *admin.RefusedError
	if !errors.As(err, &refused) {
		return nil
	}
	hint := "the database refused it, and what it says is why; nothing of this was changed"
	if refused.Right {
		hint = fmt.Sprintf("the account of --dsn needs GRANT %s ON %s", rights, table)
	}
	return &hinted.Error{What: err.Error(), Hint: hint}
}

// walkProgress says on a terminal, in one line, how far a walk through the table is.
func walkProgress(w io.Writer) (looked func(int64), end func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	const first, every = 2 * time.Second, 500 * time.Millisecond
	next, shown := time.Now().Add(first), false
	looked = func(n int64) {
		if now := time.Now(); now.After(next) {
			fmt.Fprintf(w, "\r%d records looked at", n)
			next, shown = now.Add(every), true
		}
	}
	return looked, func() {
		if shown {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}

// at is a time as it is printed; empty when it is not set.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(admin.HeldAtLayout)
}

// roughly is a duration in its largest unit.
func roughly(d time.Duration) string {
	for _, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		if d >= unit {
			return jobfile.FormatDuration(d.Truncate(unit))
		}
	}
	return jobfile.FormatDuration(max(0, d).Truncate(time.Second))
}
