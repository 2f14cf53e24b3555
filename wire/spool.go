package wire

import (
	"fmt"
	"io"
	"os"
)

const (
	// inMemory bounds what a spool keeps in memory.
	inMemory = 16 << 20
	// keep bounds the buffer that a spool does not let go of.
	keep = 1 << 20
)

// Spool keeps a request or a reply until it may go on: in memory, and what does
// not fit in a temporary file that has no name any more.
type Spool struct {
	mem  []byte
	file *os.File
}

// Add keeps p.
func (s *Spool) Add(p []byte) error {
	if s.file == nil && len(s.mem)+len(p) <= inMemory {
		s.mem = append(s.mem, p...)
		return nil
	}
	if s.file == nil {
		if err := s.overflow(); err != nil {
			return fmt.Errorf("keep a large message: %w", err)
		}
	}
	_, err := s.file.Write(p)
	return err
}

func (s *Spool) overflow() (err error) {
	if s.file, err = os.CreateTemp("", "twiceproof-*"); err != nil {
		return err
	}
	return os.Remove(s.file.Name())
}

// Send writes what is kept, and keeps nothing then.
func (s *Spool) Send(w io.Writer) error {
	defer s.Drop()
	if len(s.mem) > 0 {
		if _, err := w.Write(s.mem); err != nil {
			return err
		}
	}
	if s.file == nil {
		return nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

// Drop keeps nothing any more.
func (s *Spool) Drop() {
	s.mem = s.mem[:0]
	if cap(s.mem) > keep {
		s.mem = nil
	}
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
