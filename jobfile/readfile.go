package jobfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// maxBytes is far more than a settings file has. For some texts the YAML
// reader's time grows with the square of the size, and a wrongly named dump
// should fail at once.
const maxBytes = 128 << 10

// readFile reads a whole file. The hint says how to get one that is missing.
func readFile(path, hint string) ([]byte, error) {
	if path == "" {
		return nil, &Error{File: "(no name)", What: "no file is named", Hint: hint}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(path, hint, err)
	case err != nil:
		return nil, unreadable(path, err)
	case info.IsDir():
		return nil, &Error{File: path, What: "is a folder, not a file", Hint: "name the file in it, such as " + filepath.Join(path, DefaultName)}
	case !info.Mode().IsRegular(): // a named pipe would be waited for without end
		return nil, &Error{File: path, What: "is no regular file", Hint: "name a file that can be read to its end"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	return data, nil
}

func missing(path, hint string, cause error) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err != nil {
		return &Error{File: path, What: "there is no folder " + strconv.Quote(dir), Hint: "check the path", cause: cause}
	}
	return &Error{File: path, What: "no such file", Hint: hint, cause: cause}
}

func unreadable(path string, err error) error {
	what := err.Error()
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		what = pathErr.Err.Error()
	}
	return &Error{File: path, What: "cannot be read: " + what, Hint: "check who may read the file", cause: err}
}
