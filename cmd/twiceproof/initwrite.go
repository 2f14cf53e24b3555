package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

// checkFree: all or nothing, so a file that is there stops everything before anything is
// written. One that has the very text is not in the way: an init that was killed is gone on
// with. It gives the files that are still to be written.
func (f initFlags) checkFree(files []change.File) (missing []change.File, err error) {
	for _, file := range files {
		path := f.place(file)
		if err := f.checkLinks(path); err != nil {
			return nil, err
		}
		switch {
		case hasText(path, file.Text):
		case isThere(path):
			return nil, &hinted.Error{What: path + " is there already, and nothing was written", Hint: "move it away, or take over by hand what init would write: twiceproof init --json shows it in an empty folder with the job file"}
		default:
			missing = append(missing, file)
		}
	}
	return missing, nil
}

func hasText(path, text string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) { // a FIFO would be waited for
		return false
	}
	is, err := os.ReadFile(path)
	return err == nil && string(is) == text
}

func (f initFlags) place(file change.File) string {
	return filepath.Join(f.top, filepath.FromSlash(file.Path))
}

// checkLinks: a link may lead from one folder of the repository to another one, not out of it.
func (f initFlags) checkLinks(path string) error {
	top, err := realPath(f.top)
	if err != nil {
		return err
	}
	if _, is := nameIn(top, filepath.Dir(path)); !is {
		return &hinted.Error{What: filepath.Dir(path) + " is, or is in, a link that leads out of the repository", Hint: "run init in the repository that has the folder, or write by hand what twiceproof init --json shows"}
	}
	return nil
}

// writeAll takes back what it has made when one cannot be written. The migration is last:
// an init that was killed before makes the same one.
func (f initFlags) writeAll(files []change.File) (err error) {
	var made []string
	defer func() {
		if err != nil {
			for _, path := range slices.Backward(made) {
				_ = os.Remove(path) // a folder goes only when it is empty
			}
		}
	}()
	for _, file := range slices.Backward(files) {
		path := f.place(file)
		folders, err := makeFolders(filepath.Dir(path))
		made = append(made, folders...)
		if err != nil {
			return cannotWrite("a folder cannot be made", err)
		}
		if err := writeWhole(path, []byte(file.Text)); err != nil {
			return cannotWrite(path+" cannot be written", err)
		}
		made = append(made, path)
	}
	return nil
}

func cannotWrite(what string, err error) error {
	hint := "nothing was written; check the permissions of the repository"
	if isFull(err) {
		hint = diskFull + ", and run it again; nothing was written"
	}
	return &hinted.Error{What: what + ": " + err.Error(), Hint: hint}
}

// writeWhole makes a file that is never seen half-written, and that is not there yet. What
// a killed init has left beside it goes.
func writeWhole(path string, text []byte) error {
	beside := besideOf(path)
	if err := removeThere(beside); err != nil {
		return err
	}
	if err := createNew(beside, text); err != nil {
		return err
	}
	err := os.Link(beside, path)                                                // which, other than Rename, overwrites nothing
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) { // a file system without links
		return os.Rename(beside, path)
	}
	return errors.Join(err, removeThere(beside))
}

func besideOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".unfinished")
}

// tidy removes what a killed init has left beside a file that it had made.
func (f initFlags) tidy(files []change.File) (err error) {
	for _, file := range files {
		err = errors.Join(err, removeThere(besideOf(f.place(file))))
	}
	return err
}

func removeThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// makeFolders gives those that were not there.
func makeFolders(folder string) (made []string, err error) {
	if _, err := os.Stat(folder); err == nil {
		return nil, nil
	}
	above, err := makeFolders(filepath.Dir(folder))
	if err != nil {
		return above, err
	}
	return append(above, folder), os.Mkdir(folder, 0o755)
}
