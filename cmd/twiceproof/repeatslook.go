package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/repeats/scan"
	"github.com/twiceproof/twiceproof/repeats/source"
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
	result  *scan.Result
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
	options := scan.Options{KeepIdentical: f.keepIdentical, Limit: f.limit}
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
			if len(j.Operation.Fingerprint) > 0 && len(l.columns.Content) > 0 {
				return &hinted.Error{What: "--fingerprint does not go with the job file, which has a fingerprint of its own", Hint: "leave --fingerprint out"}
			}
			o.Key, o.Content = scan.MessageKey(j.Operation)
			return nil
		}
	}
	return l.whichJob(file)
}

func (l *look) whichJob(file *jobfile.File) error {
	var types []string
	for _, j := range file.Jobs {
		types = append(types, j.Type)
	}
	hint := "give --job: " + strings.Join(types, ", ")
	if l.job == "" {
		return &hinted.Error{What: "the job file has several jobs", Hint: hint}
	}
	if near := source.Nearest(l.job, types); near != "" {
		hint = "did you mean " + near + "?"
	}
	return &hinted.Error{What: fmt.Sprintf("the job file has no job %q", l.job), Hint: hint}
}

// read reads everything and concludes. It does not wait for a pipe that says nothing more
// when the command is to end.
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

func (l *look) readAll(ctx context.Context) (err error) {
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
	if l.join.file != "" {
		columns := source.Columns{Reference: orElse(l.join.reference, l.columns.Reference), Time: orElse(l.join.time, l.columns.Time)}
		if err := l.readFile(ctx, l.join.file, scan.Input{Clock: l.second, Second: true}, columns); err != nil {
			return err
		}
	}
	l.result, err = l.Finish(l.join.file != "")
	return err
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
