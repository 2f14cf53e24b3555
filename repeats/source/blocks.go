package source

import (
	"errors"
	"io"
	"slices"
	"strings"
)

const (
	oneBlock = 256 << 10
	// longest is what a block may have: a row or a line that does not fit in is neither.
	longest = 16 << 20
)

var errTooLong = errors.New("longer than any row or line")

// blocks gives a source in pieces of text, of which fields are cut without a copy.
type blocks struct {
	io.Reader
	buffer []byte // what has been read and is not done with
	line   int    // how many lines come before it
	end    bool   // it goes to the end of the source
}

// next gives what was left of the piece before, and more. Used is how much of that piece
// is done with.
func (b *blocks) next(before string, used int) (text string, err error) {
	b.line += strings.Count(before[:used], "\n")
	b.buffer = append(b.buffer[:0], b.buffer[used:]...)
	kept := len(b.buffer)
	if kept == longest { // so nothing of it was used
		return "", errTooLong
	}
	size := max(oneBlock, min(2*kept, longest))
	b.buffer = slices.Grow(b.buffer, size-kept)
	for !b.end && len(b.buffer) < size {
		n, err := b.Read(b.buffer[len(b.buffer):size])
		b.buffer = b.buffer[:len(b.buffer)+n]
		if b.end = errors.Is(err, io.EOF); err != nil && !b.end {
			return "", err
		}
	}
	return string(b.buffer), nil
}
