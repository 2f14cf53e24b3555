package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/replay"
)

// topOf looks for the git repository that the folder is in, and tells where in it that is;
// without one, the folder is the top.
func topOf(folder string) (top, below string, err error) {
	whole, err := realPath(folder)
	if err != nil {
		return "", "", err
	}
	top = whole
	for !isThere(filepath.Join(top, ".git")) && filepath.Dir(top) != top {
		top = filepath.Dir(top)
	}
	if top == whole || !isThere(filepath.Join(top, ".git")) {
		return folder, "", nil
	}
	here, err := realPath(".")
	if err != nil {
		return "", "", err
	}
	if below, err = filepath.Rel(top, whole); err != nil {
		return "", "", err
	}
	top, err = filepath.Rel(here, top)
	return top, filepath.ToSlash(below), err
}

// realPath: above a link's own folder there is another repository, perhaps.
func realPath(folder string) (string, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(whole)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// checkFree: all or nothing, so a file that is there stops everything before anything is
// written.
func (f initFlags) checkFree(files []change.File) error {
	for _, file := range files {
		path := filepath.Join(f.top, filepath.FromSlash(file.Path))
		if isThere(path) {
			return &replay.Problem{What: path + " is there already, and nothing was written", Hint: "move it away, or take over by hand what init would write: twiceproof init --json shows it in an empty folder with the job file"}
		}
	}
	return nil
}

// writeAll takes back what it has made when one cannot be written.
func (f initFlags) writeAll(files []change.File) (err error) {
	var made []string
	defer func() {
		if err != nil {
			for _, path := range slices.Backward(made) {
				_ = os.Remove(path) // a folder goes only when it is empty
			}
		}
	}()
	for _, file := range files {
		path := filepath.Join(f.top, filepath.FromSlash(file.Path))
		folders, err := makeFolders(filepath.Dir(path))
		made = append(made, folders...)
		if err != nil {
			return &replay.Problem{What: "a folder cannot be made: " + err.Error(), Hint: "nothing was written; check the permissions of the repository"}
		}
		if err := writeNew(path, []byte(file.Text)); err != nil {
			return err
		}
		made = append(made, path)
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
