package gather

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrFile is about a file of our own that could not be made, written or read.
var ErrFile = errors.New("temporary file")

// spool is a log of bytes: in memory at first, then in a file without a name.
type spool struct {
	buffer []byte
	file   *os.File
	size   int64 // of the file
}

// spill moves what is in memory to the file.
func (s *spool) spill(folder string) error {
	if s.file == nil {
		file, err := os.CreateTemp(folder, "twiceproof-repeats-")
		if err != nil {
			return fmt.Errorf("make a %w: %w", ErrFile, err)
		}
		s.file = file
		if err := os.Remove(file.Name()); err != nil {
			return fmt.Errorf("make a %w: %w", ErrFile, err)
		}
	}
	n, err := s.file.Write(s.buffer)
	s.size += int64(n)
	s.buffer = s.buffer[:0]
	if err != nil {
		return fmt.Errorf("write a %w: %w", ErrFile, err)
	}
	return nil
}

// load reads all of it, into memory that may be used again or is its own.
func (s *spool) load(into []byte) ([]byte, error) {
	if s.file == nil {
		return s.buffer, nil
	}
	need := int(s.size) + len(s.buffer)
	if cap(into) < need {
		into = make([]byte, need+need/8)
	}
	into = into[:need]
	if _, err := s.file.ReadAt(into[:s.size], 0); err != nil {
		return nil, fmt.Errorf("read a %w: %w", ErrFile, err)
	}
	copy(into[s.size:], s.buffer)
	return into, nil
}

// reader reads it from its beginning.
func (s *spool) reader() *bufio.Reader {
	if s.file == nil {
		return bufio.NewReader(bytes.NewReader(s.buffer))
	}
	return bufio.NewReaderSize(io.MultiReader(io.NewSectionReader(s.file, 0, s.size), bytes.NewReader(s.buffer)), 1<<16)
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	*s = spool{}
}
