package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/repeats/scan"
	"github.com/twiceproof/twiceproof/repeats/source"
	"github.com/twiceproof/twiceproof/repeats/table"
	"github.com/twiceproof/twiceproof/replay"
)

// look is one run of the command.
type look struct {
	*repeatsFlags
	*scan.Scan
	pattern *source.Pattern
	clock   *source.Clock
	second  *source.Clock // of the joined source
	names   []string      // of the source's columns
	notes   []string
	cannot  string // why the source cannot show repeats at all
	file    atomic.Pointer[source.File]
}

func (f *repeatsFlags) newLook(ctx context.Context) (*look, error) {
	l := &look{repeatsFlags: f, clock: &source.Clock{Layout: f.timeFormat}, second: &source.Clock{Layout: f.join.timeFormat}}
	var err error
	if l.clock.Zone, err = zoneOf("--zone", f.zone); err != nil {
		return nil, err
	}
	if l.second.Zone, err = zoneOf("--join-zone", f.join.zone); err != nil {
		return nil, err
	}
	if err := l.parsePattern(); err != nil {
		return nil, err
	}
	options := scan.Options{KeepIdentical: f.keepIdentical, Limit: max(0, f.limit)}
	if options.Settings, err = f.settings(ctx, &l.notes); err != nil {
		return nil, err
	}
	if err := l.keys(&options); err != nil {
		return nil, err
	}
	l.Scan = scan.New(options)
	return l, nil
}

// parsePattern: the groups of a pattern are its columns, unless other ones are named.
func (l *look) parsePattern() (err error) {
	if len(l.logs) == 0 || l.repeatsFlags.pattern == "json" {
		return nil
	}
	if l.pattern, err = source.ParsePattern(l.repeatsFlags.pattern); err != nil {
		return err
	}
	own := l.pattern.Columns()
	l.columns.Reference, l.columns.Time = orElse(l.columns.Reference, own.Reference), orElse(l.columns.Time, own.Time)
	l.columns.Message = orElse(l.columns.Message, own.Message)
	if l.pattern.Note != "" {
		l.notes = append(l.notes, l.pattern.Note)
	}
	return nil
}

func orElse(given, other string) string {
	if given != "" {
		return given
	}
	return other
}

// keys sets up the check of an operation key.
func (l *look) keys(o *scan.Options) (err error) {
	if len(l.columns.Key) > 0 {
		o.Key, err = scan.ColumnsKey(l.columns.Key)
		return err
	}
	if l.jobFile == "" {
		return nil
	}
	file, err := jobfile.Load(l.jobFile)
	if err != nil {
		return err
	}
	for _, j := range file.Jobs {
		if l.job == "" && len(file.Jobs) == 1 || j.Type == l.job {
			o.Key, o.Content = scan.MessageKey(j.Operation)
			return nil
		}
	}
	var types []string
	for _, j := range file.Jobs {
		types = append(types, j.Type)
	}
	return &replay.Problem{What: "it is not said which job of the job file is meant", Hint: "give --job: " + strings.Join(types, ", ")}
}

// read reads everything. It does not wait for a pipe that says nothing more when the
// command is to end.
func (l *look) read(ctx context.Context) error {
	stop := l.progress()
	defer stop()
	end := make(chan error, 1)
	go func() { end <- l.readAll(ctx) }()
	select {
	case err := <-end:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *look) readAll(ctx context.Context) error {
	if l.table != "" {
		if err := l.readTable(ctx); err != nil {
			return err
		}
	}
	for _, path := range slices.Concat(l.csv, l.jsonl, l.logs) {
		if err := l.readFile(ctx, path, scan.Input{Clock: l.clock}, l.columns); err != nil {
			return err
		}
	}
	if l.join.file == "" {
		return nil
	}
	columns := source.Columns{Reference: orElse(l.join.reference, l.columns.Reference), Time: orElse(l.join.time, l.columns.Time)}
	return l.readFile(ctx, l.join.file, scan.Input{Clock: l.second, Second: true}, columns)
}

func (l *look) readFile(ctx context.Context, path string, in scan.Input, columns source.Columns) error {
	f, err := source.Open(path, l.std.in)
	if err != nil {
		return err
	}
	defer f.Close()
	l.file.Store(f)
	sink := untilDone(ctx, l.Sink(in))
	switch {
	case in.Second && f.BeginsWithObject():
		err = source.JSONL(f, columns, false, sink)
	case in.Second || len(l.csv) > 0:
		err = source.CSV(f, columns, sink)
	case len(l.jsonl) > 0 || l.repeatsFlags.pattern == "json":
		err = source.JSONL(f, columns, len(l.jsonl) == 0, sink)
	default:
		err = source.Log(f, l.pattern, columns, sink)
	}
	if !in.Second {
		l.names = append(l.names, f.Names...)
	}
	return err
}

// untilDone ends reading when the command is to end.
func untilDone(ctx context.Context, sink source.Sink) source.Sink {
	take, n := sink.Take, 0
	sink.Take = func(r *source.Record) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return take(r)
	}
	return sink
}

func (l *look) readTable(ctx context.Context) error {
	limit, err := jobfile.ParseDuration(l.timeLimit)
	if err != nil || limit < time.Second {
		return &replay.Problem{What: "--time-limit is no duration that can be used", Hint: "write one such as 10m"}
	}
	db, dialect, err := openToRead(orVariable(l.dsn, "DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close()
	t := table.Table{DB: db, Dialect: dialect, Name: l.table, Columns: l.columns, Limit: limit}
	err = t.Read(ctx, untilDone(ctx, l.Sink(scan.Input{Clock: l.clock, Table: true})), func(a table.About) error {
		l.names = a.Names
		if a.Unique {
			l.cannot = "a unique key on the reference alone lets the table have one row for each"
			if l.join.file == "" {
				return errCannot
			}
		}
		if len(a.Beside) > 0 {
			l.notes = append(l.notes, fmt.Sprintf("a unique key has the reference and %d more columns: rows that agree in all of them cannot be there", len(a.Beside)))
		}
		return nil
	})
	if errors.Is(err, errCannot) {
		return nil
	}
	return err
}

// errCannot: there is nothing to be read for.
var errCannot = errors.New("this source cannot show repeats")

// openToRead opens a SQLite file so that it cannot be written; the others are kept from
// writing by their transaction.
func openToRead(dsn string) (*sql.DB, string, error) {
	if scheme, _, _ := strings.Cut(dsn, "://"); scheme != "sqlite" {
		db, d, err := openDSN(dsn)
		return db, string(d), err
	}
	path := sqlitePath(dsn)
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return nil, "", &replay.Problem{What: "there is no such SQLite database", Hint: "write --dsn sqlite:///path, with the whole path of the file"}
	}
	file := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", file.String())
	return db, table.SQLite, err
}
