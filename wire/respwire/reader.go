package respwire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/twiceproof/twiceproof/wire"
)

const (
	longestLine = 64 << 10 // Redis's own bound of an inline command
	longestBulk = 1 << 30  // its default is half of that
	maxElements = 1 << 30
	maxDepth    = 64
	maxCopied   = 1 << 20 // of one command or reply, for those who look at it
	elementSize = 64      // about what an element costs beside its text
)

// reader reads one side of a connection. The bytes as they came gather in kept.
type reader struct {
	*bufio.Reader
	kept wire.Spool
	room int // how much may still be copied of the message
}

func newReader(from io.Reader) *reader {
	return &reader{Reader: bufio.NewReaderSize(from, longestLine)}
}

// line reads up to the end of a line, and gives the line without it. It is good until
// the next read.
func (r *reader) line() ([]byte, error) {
	raw, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, wire.Wrong("a line is longer than %d bytes", longestLine)
	case err != nil:
		return nil, err
	}
	if err := r.kept.Add(raw); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(raw[:len(raw)-1], []byte{'\r'}), nil
}

// value reads a reply whole.
func (r *reader) value() (Value, error) {
	r.room = maxCopied
	return r.nested(0)
}

func (r *reader) nested(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, wire.Wrong("values are nested deeper than %d", maxDepth)
	}
	line, err := r.line()
	if err != nil {
		return Value{}, err
	}
	if len(line) == 0 {
		return Value{}, wire.Wrong("a value begins with an empty line")
	}
	v := Value{Kind: line[0]}
	switch v.Kind {
	case simple, failure, integer, boolean, double, big:
		v.Text, v.Cut = r.copied(line[1:])
		return v, nil
	case null:
		return v, nil
	}
	n, err := length(line)
	if err != nil {
		return v, err
	}
	switch v.Kind {
	case bulk, blobError, verbatim:
		return r.bulk(v, n)
	case array, set, push:
		return r.elements(v, n, depth)
	case mapping:
		return r.elements(v, 2*n, depth)
	case attribute: // of the value that comes after it
		if _, err := r.elements(v, 2*n, depth); err != nil {
			return v, err
		}
		return r.nested(depth + 1)
	}
	return v, wire.Wrong("a value begins with %q", v.Kind)
}

// length is the number in the line with which a value begins.
func length(line []byte) (int, error) {
	n, err := strconv.Atoi(string(line[1:]))
	if err != nil || n < -1 || n > maxElements {
		return 0, wire.Wrong("a value begins with %.40q", line)
	}
	return n, nil
}

func (r *reader) elements(v Value, n, depth int) (Value, error) {
	if n < 0 {
		return Value{Kind: null}, nil
	}
	for range n {
		r.room -= elementSize
		fits := r.room >= 0
		e, err := r.nested(depth + 1)
		if err != nil {
			return v, err
		}
		if fits {
			v.Elements = append(v.Elements, e)
		} else {
			v.Cut = true
		}
	}
	return v, nil
}

func (r *reader) bulk(v Value, n int) (_ Value, err error) {
	if n < 0 {
		return Value{Kind: null}, nil
	}
	v.Text, v.Cut, err = r.text(n)
	return v, err
}

// text reads n bytes and the end of the line after them.
func (r *reader) text(n int) (copied []byte, cut bool, err error) {
	if n > longestBulk {
		return nil, false, wire.Wrong("a string has %d bytes", n)
	}
	wanted := min(n, max(r.room, 0))
	r.room -= wanted
	copied = make([]byte, 0, min(wanted, 4096))
	for left := n; left > 0; {
		p, err := r.some(left)
		if err != nil {
			return nil, false, err
		}
		left -= len(p)
		copied = append(copied, p[:min(len(p), wanted-len(copied))]...)
	}
	end, err := r.line()
	if err == nil && len(end) > 0 {
		err = wire.Wrong("a string of %d bytes does not end there", n)
	}
	return copied, wanted < n, err
}

// some moves up to n of the next bytes to what is kept.
func (r *reader) some(n int) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	p, _ := r.Peek(min(n, r.Buffered())) // they are there
	if err := r.kept.Add(p); err != nil {
		return nil, err
	}
	_, err := r.Discard(len(p))
	return p, err
}

func (r *reader) copied(b []byte) (copied []byte, cut bool) {
	n := min(len(b), max(r.room, 0))
	r.room -= n
	return bytes.Clone(b[:n]), n < len(b)
}
