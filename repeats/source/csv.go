package source

import (
	"bufio"
	"bytes"
	"slices"
)

// CSV reads a file whose first row names the columns.
func CSV(f *File, columns Columns, sink Sink) error {
	r := csvRows{file: f, blocks: blocks{Reader: f.Reader}, splitter: splitter{comma: separator(f.Reader)}}
	if err := r.head(columns.all()); err != nil {
		return err
	}
	batches := fillBeside(r.fill)
	defer batches.stop()
	width, rec := 1+len(r.places), Record{}
	for batch := range batches.full {
		for row := range slices.Chunk(batch.values, width) {
			rec.Whole = row[0]
			rec.Fill(columns, row[1:])
			if err := sink.Take(&rec); err != nil {
				return err
			}
		}
		sink.leave("no sound CSV", batch.unsound)
		sink.leave("too few columns", batch.short)
		if batch.err != nil {
			return batch.err
		}
		batches.empty <- batch
	}
	return nil
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
func separator(r *bufio.Reader) byte {
	start, _ := r.Peek(buffer / 4)
	line, _, _ := bytes.Cut(start, []byte("\n"))
	best, most := byte(','), 0
	for _, s := range []byte{',', ';', '\t', '|'} {
		if n := bytes.Count(line, []byte{s}); n > most {
			best, most = s, n
		}
	}
	return best
}
