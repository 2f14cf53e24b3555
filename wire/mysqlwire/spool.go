package mysqlwire

import (
	"fmt"
	"io"
	"os"
)

// inMemory bounds what a spool keeps in memory.
const inMemory = 16 << 20

// spool keeps a request or a reply until it may go on: in memory, and what does
// not fit in a temporary file that has no name any more.
type spool struct {
	mem  []byte
	file *os.File
}

func (s *spool) add(p []byte) error {
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

func (s *spool) overflow() (err error) {
	if s.file, err = os.CreateTemp("", "twiceproof-*"); err != nil {
		return err
	}
	return os.Remove(s.file.Name())
}

// send writes what is kept, and keeps nothing then.
func (s *spool) send(w io.Writer) error {
	defer s.drop()
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

func (s *spool) drop() {
	s.mem = s.mem[:0]
	if cap(s.mem) > keep {
		s.mem = nil
	}
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
