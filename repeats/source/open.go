package source

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"unicode/utf8"
)

// Error says what is wrong with a source, and what to do.
type Error struct{ What, Hint string }

func (e *Error) Error() string { return e.What }

// File is an opened source.
type File struct {
	*bufio.Reader
	Name   string
	Size   int64    // on disk; 0: not known
	Names  []string // of the columns, when it has been read
	read   atomic.Int64
	closer []io.Closer
}

// Done is how many bytes of it, as it is on disk, have been read.
func (f *File) Done() int64 { return f.read.Load() }

// Close closes it.
func (f *File) Close() {
	for _, c := range f.closer {
		_ = c.Close()
	}
}

// packed are formats that are told by their first bytes, and what unpacks them.
var packed = []struct{ magic, name, tool string }{
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"}, {"\xfd7zXZ", "xz", "xz -dc"}, {"BZh", "bzip2", "bzip2 -dc"}, {"PK\x03\x04", "zip", "unzip -p"},
	{"PAR1", "Parquet", ""}, {"SQLite format 3", "an SQLite database", ""},
}

const buffer = 256 << 10

// Open opens a file, or standard input for "-". Whether it is gzipped is told by what is
// in it.
func Open(path string, stdin io.Reader) (*File, error) {
	f := &File{Name: path}
	raw := stdin
	if path == "-" {
		f.Name = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, openError(path, err)
		}
		f.closer = append(f.closer, file)
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			f.Close()
			return nil, &Error{path + " is a folder", "name the files in it"}
		}
		if err == nil && info.Mode().IsRegular() {
			f.Size = info.Size()
		}
		raw = file
	}
	if err := f.unpack(&counting{raw, &f.read}); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func openError(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return &Error{path + " is not there", "check the path"}
	}
	return &Error{"open " + path + ": " + errors.Unwrap(err).Error(), "check that it may be read"}
}

func (f *File) unpack(raw io.Reader) error {
	f.Reader = bufio.NewReaderSize(raw, buffer)
	start, err := f.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return f.Broken(err)
	}
	if bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(f.Reader)
		if err != nil {
			return f.Broken(err)
		}
		f.closer = append(f.closer, z)
		f.Reader = bufio.NewReaderSize(z, buffer)
		if start, err = f.Peek(4096); err != nil && !errors.Is(err, io.EOF) {
			return f.Broken(err)
		}
	}
	return f.check(start)
}

// check refuses what is no text.
func (f *File) check(start []byte) error {
	for _, p := range packed {
		if bytes.HasPrefix(start, []byte(p.magic)) {
			hint := "export it as CSV, or name the database with --dsn"
			if p.tool != "" {
				hint = p.tool + " FILE | twiceproof repeats --csv - …"
			}
			return &Error{f.Name + " is " + p.name + ", which is not read here", hint}
		}
	}
	switch {
	case len(start) == 0:
		return &Error{f.Name + " is empty", "check the export; nothing was read"}
	case bytes.HasPrefix(start, []byte{0xff, 0xfe}) || bytes.HasPrefix(start, []byte{0xfe, 0xff}):
		return &Error{f.Name + " is UTF-16", "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE | twiceproof repeats --csv - …"}
	case bytes.IndexByte(start, 0) >= 0:
		return &Error{f.Name + " is no text", "name a CSV, JSON lines or log file, gzipped or not"}
	}
	if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) {
		_, _ = f.Discard(utf8.RuneLen('\ufeff'))
	}
	return nil
}

// Broken says why reading ended before the end.
func (f *File) Broken(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		return &Error{f.Name + " is gzipped and not whole", "copy it again; nothing is concluded from a part"}
	}
	return &Error{"it cannot be read further: " + err.Error(), "check " + f.Name + "; nothing is concluded from a part"}
}

type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// BeginsWithObject tells JSON lines from CSV.
func (f *File) BeginsWithObject() bool {
	start, _ := f.Peek(1)
	return len(start) == 1 && start[0] == '{'
}
