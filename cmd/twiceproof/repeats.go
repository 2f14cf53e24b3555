package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/gather"
	"github.com/twiceproof/twiceproof/repeats/source"
	"github.com/twiceproof/twiceproof/repeats/table"
)

const repeatsSchema = "twiceproof.repeats/1"

type repeatsFlags struct {
	csv, jsonl, logs []string
	pattern          string
	dsn, table       string
	timeLimit        string
	columns          source.Columns
	timeFormat, zone string
	queue            string
	visibility       []string
	deploys, gitLog  string
	jobFile, job     string
	join             joinFlags
	keepIdentical    bool
	query            bool
	dialect          string
	show, json       bool
	limit            int
	html, share      string
	std              stdio
}

type joinFlags struct {
	file, reference, time, timeFormat, zone string
}

func repeatsCommand(std stdio) *cobra.Command {
	f := &repeatsFlags{std: std}
	cmd := &cobra.Command{
		Use:     "repeats --csv FILE --reference COLUMN --time COLUMN",
		Short:   "Find past repeats in a table, an export or a log, and their likely cause",
		Long:    repeatsHelp,
		Example: repeatsExamples,
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkRepeatsFlags(cmd.Flags()); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	f.define(cmd)
	return cmd
}

func (f *repeatsFlags) define(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.csv, "csv", nil, "a CSV `file`; may be given several times")
	fs.StringArrayVar(&f.jsonl, "jsonl", nil, "a `file` of JSON lines; may be given several times")
	fs.StringArrayVar(&f.logs, "log", nil, "a log `file`; may be given several times")
	fs.StringVar(&f.pattern, "pattern", "", "of the log's lines: sidekiq, celery, json or a regular `expression`")
	fs.StringVar(&f.table, "table", "", "a `table` of the database")
	fs.StringVar(&f.dsn, "dsn", "", "that database, as "+addresses+" (default: the variable DATABASE_URL)")
	fs.StringVar(&f.timeLimit, "time-limit", "10m", "how `long` a statement may take")
	fs.StringVar(&f.columns.Reference, "reference", "", "the `column` that names the business operation")
	fs.StringVar(&f.columns.Time, "time", "", "the `column` that says when it happened")
	fs.StringVar(&f.columns.Message, "message-id", "", "the `column` with the queue's message id (jid, task id)")
	fs.StringSliceVar(&f.columns.Content, "fingerprint", nil, "`columns` that must not differ between two deliveries of one operation")
	fs.StringSliceVar(&f.columns.Key, "key", nil, "`columns` of an operation key to hold against what happened")
	fs.StringVar(&f.jobFile, "job-file", "", "or the job `file` that has it; the JSON lines are the messages")
	fs.StringVar(&f.job, "job", "", "the `job` in it, when there are several")
	fs.StringVar(&f.timeFormat, "time-format", "", "how the time is written, if it is not known: %d.%m.%Y %H:%M:%S")
	fs.StringVar(&f.zone, "zone", "", "the time `zone` of times that have none, such as Europe/Berlin (default: UTC)")
	fs.StringVar(&f.queue, "queue", "", "the `queue`: sidekiq, celery or sqs")
	fs.StringSliceVar(&f.visibility, "visibility-timeout", nil, "how `long` the queue waits for a worker, if it is known")
	fs.StringVar(&f.deploys, "deploys", "", "a `file` with the time of a deploy at the start of each line")
	fs.StringVar(&f.gitLog, "git-log", "", "a `folder` in a git repository whose tags, or else commits, are the deploys")
	fs.StringVar(&f.join.file, "join", "", "a second source to hold beside it, such as the provider's export: a CSV or JSON lines `file`")
	fs.StringVar(&f.join.reference, "join-reference", "", "its `column` with the reference (default: as --reference)")
	fs.StringVar(&f.join.time, "join-time", "", "its `column` with the time (default: as --time)")
	fs.StringVar(&f.join.timeFormat, "join-time-format", "", "how its time is written")
	fs.StringVar(&f.join.zone, "join-zone", "", "the time `zone` of its times that have none")
	fs.BoolVar(&f.keepIdentical, "keep-identical", false, "count lines that are there twice, word for word, as two events")
	fs.BoolVar(&f.query, "query", false, "print the query that finds repeats in --table, and read nothing")
	fs.StringVar(&f.dialect, "dialect", "postgres", "of --query: "+strings.Join(table.Dialects, ", "))
	fs.BoolVar(&f.show, "show", false, "show references and moments; they may be personal data")
	fs.IntVar(&f.limit, "limit", 20, "how `many` references are shown at most")
	fs.BoolVar(&f.json, "json", false, "print the result as JSON (schema "+repeatsSchema+")")
	fs.StringVar(&f.html, "html", "", "also write it as a page to this `file`")
	fs.StringVar(&f.share, "share", "", "also write a report to send on, without any value of the data, to this `file`")
}

func (f *repeatsFlags) run(ctx context.Context) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.query {
		return f.printQuery()
	}
	look, err := f.newLook(ctx)
	if err != nil {
		return problemOf(err)
	}
	if err := look.read(ctx); err != nil {
		return problemOf(err) // its temporary files have no name, and end with the process
	}
	defer look.Close()
	return look.tell()
}

func (f *repeatsFlags) printQuery() error {
	text, err := table.Query(f.dialect, f.table, f.columns)
	if err != nil {
		return problemOf(err)
	}
	_, err = fmt.Fprint(f.std.out, text)
	return err
}

// settings are what is known of the causes.
func (f *repeatsFlags) settings(ctx context.Context, notes *[]string) (set repeats.Settings, err error) {
	set.Queue = f.queue
	for _, text := range f.visibility {
		length, err := jobfile.ParseDuration(text)
		if err != nil || length < time.Second {
			return set, &hinted.Error{What: "--visibility-timeout is no duration that can be used", Hint: "write one such as 30s or 1h"}
		}
		set.Visibility = append(set.Visibility, length)
	}
	set.Deploys, err = f.deployTimes(ctx, notes)
	return set, err
}

func (f *repeatsFlags) deployTimes(ctx context.Context, notes *[]string) ([]int64, error) {
	var all []int64
	if f.deploys != "" {
		file, err := source.Open(f.deploys, f.std.in)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		zone, err := zoneOf("--zone", f.zone)
		if err != nil {
			return nil, err
		}
		if all, err = source.Deploys(file, &source.Clock{Zone: zone}); err != nil {
			return nil, err
		}
	}
	if f.gitLog != "" {
		moments, what, err := source.GitDeploys(ctx, f.gitLog)
		if err != nil {
			return nil, err
		}
		*notes = append(*notes, "taken for deploys: the repository's "+what+"; a deploy may be later than what it deploys")
		all = append(all, moments...)
	}
	return all, nil
}

func zoneOf(flag, name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &hinted.Error{What: flag + ": there is no such time zone", Hint: "write one of the tz database, such as Europe/Berlin or UTC"}
	}
	return zone, nil
}

// problemOf gives an error of the packages below its hint.
func problemOf(err error) error {
	var e *source.Error
	switch {
	case errors.As(err, &e):
		return &hinted.Error{What: e.What, Hint: e.Hint}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &hinted.Error{What: err.Error(), Hint: diskFull + ", or name a folder on another disk with TMPDIR"}
	case errors.Is(err, gather.ErrFile):
		return &hinted.Error{What: err.Error(), Hint: "check the folder that TMPDIR names"}
	}
	return err
}
