package source

import (
	"encoding/csv"
	"errors"
	"io"
)

// rowsInBatch is large enough that handing over costs nothing.
const rowsInBatch = 512

// batch is some rows, one after another in one slice.
type batch struct {
	fields []string
	ends   []int // of each row in fields
	left   map[string]int
	err    error // what ended reading; nil at the end of the file
}

func (b *batch) row(i int) []string {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.fields[start:b.ends[i]]
}

// rows are read beside the goroutine that takes them: splitting rows is half of the
// work.
type rows struct {
	full  chan *batch
	empty chan *batch
	done  chan struct{}
}

func readRows(r *csv.Reader, most int) *rows {
	p := &rows{full: make(chan *batch), empty: make(chan *batch, 2), done: make(chan struct{})}
	for range cap(p.empty) {
		p.empty <- &batch{}
	}
	go func() {
		defer close(p.full)
		for more := true; more; {
			var b *batch
			select {
			case b = <-p.empty:
			case <-p.done:
				return
			}
			more = b.read(r, most)
			select {
			case p.full <- b:
			case <-p.done:
				return
			}
		}
	}()
	return p
}

// stop ends the reading goroutine, and waits until it has ended.
func (p *rows) stop() {
	close(p.done)
	for range p.full { // until it is closed
	}
}

// read fills the batch; more says whether there may be more.
func (b *batch) read(r *csv.Reader, most int) (more bool) {
	b.fields, b.ends, b.left = b.fields[:0], b.ends[:0], map[string]int{}
	for len(b.ends) < rowsInBatch {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return false
		case err != nil && isParseError(err):
			b.left["no sound CSV"]++
		case err != nil:
			b.err = err
			return false
		case len(row) <= most:
			b.left["too few columns"]++
		default:
			b.fields = append(b.fields, row...)
			b.ends = append(b.ends, len(b.fields))
		}
	}
	return true
}
