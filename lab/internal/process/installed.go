package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// NotInstalledError says that a server's programs were not found.
type NotInstalledError struct {
	// Missing names the server and its programs.
	Missing string
	// Looked are the places that were looked at.
	Looked []string
	// Line is what to type.
	Line string
}

func (e *NotInstalledError) Error() string {
	return "no " + e.Missing + " in " + strings.Join(e.Looked, ", ")
}

// Hint names the line to type.
func (e *NotInstalledError) Hint() string { return e.Line }

// Installer is a package manager and the line that brings a server's programs.
type Installer struct{ Program, Line string }

// InstallLine is the line of the first package manager that is there.
func InstallLine(lookPath func(string) (string, error), installers []Installer, otherwise string) string {
	for _, i := range installers {
		if _, err := lookPath(i.Program); err == nil {
			return i.Line
		}
	}
	return otherwise
}

// Places are where programs are looked for: the PATH, then the folders that
// match the patterns, in this order.
type Places struct {
	LookPath func(string) (string, error)
	Globs    []string
}

// UsualPlaces are the PATH and the patterns.
func UsualPlaces(globs ...string) Places { return Places{exec.LookPath, globs} }

// Find returns the first of several names of one program, or "".
func (p Places) Find(names ...string) string {
	for _, name := range names {
		if path, err := p.LookPath(name); err == nil {
			return path
		}
		if path := p.FindBelow(name); path != "" {
			return path
		}
	}
	return ""
}

// FindBelow is Find without the PATH, for a program of which the PATH has a wrapper.
func (p Places) FindBelow(name string) string {
	for _, glob := range p.Globs {
		found, _ := filepath.Glob(filepath.Join(glob, name)) // the only error is a bad pattern, and ours are tested
		for _, path := range found {
			if IsProgram(path) {
				return path
			}
		}
	}
	return ""
}

// Looked are the places as a NotInstalledError names them.
func (p Places) Looked() []string { return append([]string{"PATH"}, p.Globs...) }

// IsProgram says whether a path is a file that can be run.
func IsProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
