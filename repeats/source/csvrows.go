package source

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// csvRows reads a CSV file row by row.
type csvRows struct {
	file *File
	blocks
	splitter
	text   string
	used   int   // of the text
	places []int // of the columns that are wanted
}

// head reads the row that names the columns.
func (r *csvRows) head(names []string) error {
	r.most = math.MaxInt
	_, end, err := r.next()
	switch {
	case errors.Is(err, io.EOF) || end == unsound:
		return r.headless()
	case err != nil:
		return err
	}
	for _, name := range r.fields {
		r.file.Names = append(r.file.Names, strings.TrimSpace(strings.Clone(name))) // so that the text may go
	}
	r.places, r.most, err = placesOf(r.file.Name, r.file.Names, names)
	if err != nil && slices.ContainsFunc(r.fields, isValue) {
		return r.headless()
	}
	return err
}

func (r *csvRows) headless() error {
	return &Error{r.file.Name + " does not begin with a row that names the columns", "export it with a header, and with a line end after each row"}
}

// isValue: a column that is not there is told with the names that are, and in a file
// without names those are values. Each row of it has a time, which has six digits or more,
// or begins with one, as 4/3/26; hardly a name does.
func isValue(field string) bool {
	_, number := strconv.ParseFloat(field, 64)
	n := digits(field)
	return number == nil || n >= 6 || n > 1 && digits(field[:1]) == 1 || strings.ContainsAny(field, "\r\n@")
}

func digits(text string) (n int) {
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// next splits one row off, and passes over empty lines. Its error is io.EOF at the end.
func (r *csvRows) next() (row string, end ending, err error) {
	for r.used < len(r.text) || !r.end {
		length, end := r.row(r.text[r.used:], r.end)
		if end == open {
			if err := r.more(); err != nil {
				return "", end, err
			}
			continue
		}
		row, r.used = r.text[r.used:r.used+length], r.used+length
		if end != empty {
			return row, end, nil
		}
	}
	return "", empty, io.EOF
}

func (r *csvRows) more() error {
	line := r.line + strings.Count(r.text[:r.used], "\n") + 1
	if r.end {
		return &Error{
			fmt.Sprintf("%s: the row that begins in line %d has a quote that is never closed", r.file.Name, line),
			"export it with the quotes within fields doubled; nothing is concluded from a part",
		}
	}
	text, err := r.blocks.next(r.text, r.used)
	if errors.Is(err, errTooLong) {
		return &Error{
			fmt.Sprintf("%s: the row that begins in line %d has more than %d MB", r.file.Name, line, longest>>20),
			"is there a quote that is never closed? If not, export only the columns that are needed",
		}
	}
	if err != nil {
		return r.file.Broken(err)
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return &Error{
			fmt.Sprintf("%s: line %d is no text", r.file.Name, r.line+strings.Count(text[:at], "\n")+1),
			"is the export whole? Nothing is concluded from a part",
		}
	}
	r.text, r.used = text, 0
	return nil
}

// batch is some rows: of each the row itself, and the columns that are wanted.
type batch struct {
	values         []string
	unsound, short int
	err            error // what ended reading; nil at the end of the file
}

// rowsInBatch is large enough that handing over costs nothing.
const rowsInBatch = 2048

// fill says whether there may be more.
func (r *csvRows) fill(b *batch) (more bool) {
	*b = batch{values: b.values[:0]}
	for range rowsInBatch {
		row, end, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return false
		case err != nil:
			b.err = err
			return false
		case end == unsound:
			b.unsound += linesIn(row)
		case len(r.fields) <= r.most:
			b.short += linesIn(row)
		default:
			b.values = append(b.values, strings.TrimRight(row, "\r\n"))
			for _, place := range r.places {
				b.values = append(b.values, r.fields[place])
			}
		}
	}
	return true
}

// linesIn: a quote too many takes the lines up to the next one with it, and each may have
// been a row.
func linesIn(row string) int { return max(1, strings.Count(row, "\n")) }
