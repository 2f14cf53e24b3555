package source

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
)

// CSV reads a file whose first row names the columns.
func CSV(f *File, columns Columns, sink Sink) error {
	r := csv.NewReader(f.Reader)
	r.Comma = separator(f.Reader)
	r.ReuseRecord, r.FieldsPerRecord = true, -1 // a row that is too short is counted, and the rest read
	header, err := r.Read()
	if err != nil {
		return f.csvError(err)
	}
	for _, name := range header {
		f.Names = append(f.Names, strings.TrimSpace(strings.Clone(name))) // the reader uses its row again
	}
	places, most, err := placesOf(f.Name, f.Names, columns.all())
	if err != nil {
		return err
	}
	rows := readRows(r, most)
	defer rows.stop()
	values, rec := make([]string, len(places)), Record{}
	for batch := range rows.full {
		for i := range batch.ends {
			row := batch.row(i)
			for i, place := range places {
				values[i] = row[place]
			}
			rec.Fill(columns, values)
			rec.Whole = row
			if err := sink.Take(&rec); err != nil {
				return err
			}
		}
		for kind, n := range batch.left {
			for range n {
				sink.Left(kind)
			}
		}
		if batch.err != nil {
			return f.Broken(batch.err)
		}
		rows.empty <- batch
	}
	return nil
}

func isParseError(err error) bool {
	var parse *csv.ParseError
	return errors.As(err, &parse)
}

func (f *File) csvError(err error) error {
	if isParseError(err) {
		return &Error{f.Name + " does not begin with a row that names the columns", "export it with a header"}
	}
	return f.Broken(err)
}

// placesOf are the columns' places, and the rightmost of them.
func placesOf(file string, known, names []string) (places []int, most int, err error) {
	for _, name := range names {
		place := -1
		for i, k := range known {
			if k != name {
				continue
			}
			if place >= 0 {
				return nil, 0, &Error{file + " has the column " + name + " twice", "give one of them another name"}
			}
			place = i
		}
		if place < 0 {
			return nil, 0, Missing(file, "column", name, known)
		}
		places, most = append(places, place), max(most, place)
	}
	return places, most, nil
}

// separator is what the first line has most of.
func separator(r *bufio.Reader) rune {
	start, _ := r.Peek(buffer / 4)
	line, _, _ := bytes.Cut(start, []byte("\n"))
	best, most := ',', 0
	for _, s := range []rune{',', ';', '\t', '|'} {
		if n := bytes.Count(line, []byte(string(s))); n > most {
			best, most = s, n
		}
	}
	return best
}
