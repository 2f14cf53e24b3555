package main

import (
	"os"
	"path/filepath"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// checkFolder: a file in the place of its folder is a slip that has a name. What is not
// there at all is said of the file that is looked for in it.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &hinted.Error{What: path + " is a file, and a folder is wanted", Hint: "name the folder that it is in: " + filepath.Dir(path)}
	}
	return nil
}
