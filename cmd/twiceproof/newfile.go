package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// checkNew says so when a file cannot be made, before any work is done for it. An empty
// name is none.
func checkNew(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return thereAlready(path)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &hinted.Error{What: "there is no folder " + folder, Hint: "check the path, or make the folder first"}
	}
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, text []byte) error {
	err := createNew(path, text)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return thereAlready(path)
	}
	hint := "name a file in a folder that you may write to"
	if isFull(err) {
		hint = diskFull + ", or name a file on another disk"
	}
	return &hinted.Error{What: path + " cannot be written: " + err.Error(), Hint: hint}
}

// createNew leaves nothing of a file that it could not write to its end: half of it would
// keep the next one from being written.
func createNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // to be read by others
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func thereAlready(path string) error {
	return &hinted.Error{What: path + " is there already, and is not overwritten", Hint: "name another file, or move it away"}
}
