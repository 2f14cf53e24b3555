package scan

import (
	"strings"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/gather"
	"github.com/twiceproof/twiceproof/repeats/source"
)

// Options of a scan.
type Options struct {
	Settings repeats.Settings
	Folder   string // of temporary files; empty: the system's
	Budget   int    // of rows in memory; 0: gather.Budget
	// KeepIdentical counts lines that are there twice, word for word, as two events.
	KeepIdentical bool
	Limit         int // of the examples in the result
	// Key gives the operation key of a record, or why it has none; nil: no key is checked.
	Key func(*source.Record) (key, why string)
	// Content gives what must not differ; nil: the record's columns.
	Content func(*source.Record) string
}

// Scan is one look at one source, or at two that are joined.
type Scan struct {
	o      Options
	rows   *gather.Gatherer
	keys   *gather.Gatherer
	file   uint16
	clocks []*source.Clock
	taken  atomic.Int64
	result Result
}

// New begins a scan.
func New(o Options) *Scan {
	if o.Budget == 0 {
		o.Budget = gather.Budget
	}
	s := &Scan{o: o, rows: gather.New(o.Folder, o.Budget)}
	s.result.Left = map[string]int{}
	if o.Key != nil {
		s.keys, s.result.Key = gather.New(o.Folder, o.Budget), &repeats.KeyCheck{}
	}
	return s
}

// Taken is how many events have been taken so far.
func (s *Scan) Taken() int64 { return s.taken.Load() }

// Close lets its temporary files go.
func (s *Scan) Close() {
	s.rows.Close()
	if s.keys != nil {
		s.keys.Close()
	}
}

// Input is one file or table.
type Input struct {
	Second bool // of the source that the first is joined with
	Table  bool // its rows are rows: two that look the same are two
	Clock  *source.Clock
}

// Sink takes the records of one input.
func (s *Scan) Sink(in Input) source.Sink {
	s.file++
	file := s.file
	s.clocks = append(s.clocks, in.Clock)
	return source.Sink{
		Take: func(r *source.Record) error { return s.take(in, file, r) },
		Left: func(kind string) { s.result.Left[kind]++ },
	}
}

// What is left out for its reference.
const (
	noReference   = "no reference"
	longReference = "a reference of more than 1000 bytes"
)

func (s *Scan) take(in Input, file uint16, r *source.Record) error {
	if why := refused(r.Reference); why != "" {
		s.result.Left[why]++
		return nil
	}
	at, why := in.Clock.Parse(r.Time)
	if why != "" {
		s.result.Left[why]++
		return nil
	}
	row := gather.Row{Event: repeats.Event{At: at}, File: file}
	if in.Second {
		row.Source = 1
	}
	if r.Message != "" {
		row.Message = s.rows.Hash(r.Message)
	}
	row.Content = s.content(r)
	if !in.Table && !s.o.KeepIdentical {
		row.Line = s.rows.Hash(r.Whole)
	}
	if err := s.takeKey(&row, r); err != nil {
		return err
	}
	s.taken.Add(1)
	return s.rows.Add(r.Reference, row)
}

// refused: without a reference nothing can be said, and rows without one are no repeats
// of each other. The words are what languages write for nothing.
func refused(reference string) string {
	switch strings.TrimSpace(reference) {
	case "", "None", "nil", "null", "NULL", "undefined", "<nil>", `\N`, "NaN":
		return noReference
	}
	if len(reference) > 1000 {
		return longReference
	}
	return ""
}

func (s *Scan) content(r *source.Record) uint64 {
	if s.o.Content != nil {
		if c := s.o.Content(r); c != "" {
			return s.rows.Hash(c)
		}
		return 0
	}
	if len(r.Content) == 0 {
		return 0
	}
	return s.rows.Hash(r.Content...)
}

// takeKey: the rows of the joined source have no key, since the job never made them.
func (s *Scan) takeKey(row *gather.Row, r *source.Record) error {
	if s.keys == nil || row.Source != 0 {
		return nil
	}
	s.result.Key.Rows++
	key, why := s.o.Key(r)
	if why != "" {
		s.result.Key.Refuse(why)
		return nil
	}
	row.Key = s.rows.Hash(key)
	return s.keys.Add(key, gather.Row{
		File: row.File, Line: row.Line,
		Event: repeats.Event{At: row.At, Message: s.rows.Hash(r.Reference), Content: row.Content},
	})
}
