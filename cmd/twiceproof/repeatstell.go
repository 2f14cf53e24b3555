package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/repeats/page"
	"github.com/twiceproof/twiceproof/repeats/scan"
	"github.com/twiceproof/twiceproof/repeats/source"
)

// tell says what was found, everywhere it was asked for.
func (l *look) tell() error {
	r := l.result
	doubt := l.doubt(r)
	if r.Events == 0 && l.cannot == "" {
		return l.nothing(r)
	}
	o := page.Options{Show: l.show, Doubt: doubt, Notes: append(l.notes, l.clockNotes()...), Queue: l.queue}
	if err := l.files(r, o); err != nil {
		return err
	}
	err := show(l.std.out, l.json, repeatsResultOf(l, r, doubt), func(w io.Writer) error { return page.Of(r, o).Text(w) })
	switch {
	case err != nil:
		return err
	case r.Repeats() > 0:
		return &statusError{statusFound}
	case len(doubt) > 0:
		return &statusError{statusUnknown}
	}
	return nil
}

// nothing: no event could be read at all.
func (l *look) nothing(r *scan.Result) error {
	for _, kind := range r.Kinds() {
		return &hinted.Error{
			What: fmt.Sprintf("no event could be read: %d rows were left out, most for this: %s", total(r), kind),
			Hint: "check --reference and --time, and say --time-format when the time is written in an unusual way",
		}
	}
	return &hinted.Error{What: "the source has no rows", Hint: "check the export, or --table"}
}

func total(r *scan.Result) (n int) {
	for _, left := range r.Left {
		n += left
	}
	return n
}

// doubt: no repeats were found, and that does not mean that there were none.
func (l *look) doubt(r *scan.Result) []string {
	var doubt []string
	if r.Repeats() > 0 {
		return nil
	}
	if l.cannot != "" {
		doubt = append(doubt, l.cannot)
	}
	doubt = append(doubt, r.Doubt(l.names)...)
	if left := r.Unread(); left*100 > r.Events {
		doubt = append(doubt, fmt.Sprintf("%d rows could not be read", left))
	}
	return doubt
}

// clockNotes are what the times themselves leave open.
func (l *look) clockNotes() (notes []string) {
	for _, c := range []struct {
		*source.Clock
		flag string
	}{{l.clock, "--zone"}, {l.second, "--join-zone"}} {
		if c.Naive > 0 && c.Zone == nil {
			notes = append(notes, fmt.Sprintf("%d times have no zone and were taken to be UTC: %s says another one", c.Naive, c.flag))
		}
	}
	if n := l.clock.Ambiguous + l.second.Ambiguous; n > 0 {
		notes = append(notes, fmt.Sprintf("%d times are in the hour that the clock change repeats: each may be an hour later", n))
	}
	if n := l.clock.Skipped + l.second.Skipped; n > 0 {
		notes = append(notes, fmt.Sprintf("%d times are in the hour that the clock change leaves out: is --zone right?", n))
	}
	switch {
	case l.clock.Dates:
		notes = append(notes, "some times are dates without a time of day: gaps of less than a day say nothing")
	case l.clock.Minutes:
		notes = append(notes, "some times have no seconds: gaps of less than a minute say nothing")
	case l.clock.Digits == 0 && l.Taken() > 0:
		notes = append(notes, "times are whole seconds: a race within milliseconds cannot be told from one within a second")
	}
	return notes
}

// files writes the page and the report.
func (l *look) files(r *scan.Result, o page.Options) error {
	if err := writePage(l.html, page.Of(r, o).HTML); err != nil {
		return err
	}
	o.Share = true
	return writePage(l.share, page.Of(r, o).Markdown)
}

func writePage(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return writeNew(path, text.Bytes())
}
