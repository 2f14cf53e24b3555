package source

import (
	"errors"
	"fmt"
	"strings"
)

// eachLine gives every line without its end.
func eachLine(f *File, do func(line string) error) error {
	r := lineReader{file: f, blocks: blocks{Reader: f.Reader}}
	pieces := fillBeside(r.fill)
	defer pieces.stop()
	for p := range pieces.full {
		for line := range strings.Lines(p.text) {
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				continue
			}
			if err := do(line); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
		pieces.empty <- p
	}
	return nil
}

// lineReader reads pieces that end with a line.
type lineReader struct {
	file *File
	blocks
	text string
	used int // of the text
}

type piece struct {
	text string
	err  error // what ended reading
}

func (r *lineReader) fill(p *piece) (more bool) {
	*p = piece{}
	text, err := r.next(r.text, r.used)
	switch {
	case errors.Is(err, errTooLong):
		p.err = &Error{fmt.Sprintf("%s: line %d has more than %d MB", r.file.Name, r.line+1, longest>>20), "is it JSON lines, one object a line?"}
	case err != nil:
		p.err = r.file.Broken(err)
	}
	if err != nil {
		return false
	}
	r.text, r.used = text, len(text)
	if !r.end {
		r.used = strings.LastIndexByte(text, '\n') + 1
	}
	p.text = text[:r.used]
	return !r.end
}
