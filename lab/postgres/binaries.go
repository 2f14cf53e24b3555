package postgres

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// NotInstalledError says that no PostgreSQL server programs were found.
type NotInstalledError struct {
	// Looked are the places that were looked at.
	Looked []string
}

func (e *NotInstalledError) Error() string {
	return "no PostgreSQL server programs (initdb, postgres) in " + strings.Join(e.Looked, ", ")
}

// Hint names the line to type.
func (e *NotInstalledError) Hint() string {
	return hint(exec.LookPath)
}

// installers are package managers and the line that brings the server programs.
var installers = []struct{ program, line string }{
	{"brew", "brew install postgresql@17"},
	{"apt-get", "sudo apt-get install postgresql   (its own server need not run: sudo systemctl disable --now postgresql)"},
	{"dnf", "sudo dnf install postgresql-server"},
	{"apk", "sudo apk add postgresql"},
	{"pacman", "sudo pacman -S postgresql"},
}

func hint(lookPath func(string) (string, error)) string {
	for _, i := range installers {
		if _, err := lookPath(i.program); err == nil {
			return i.line
		}
	}
	return "install PostgreSQL 13 or later and put its initdb on the PATH: https://www.postgresql.org/download/"
}

// places are where server programs are looked for, in this order.
type places struct {
	lookPath func(string) (string, error)
	globs    []string
}

var usualPlaces = places{
	lookPath: exec.LookPath,
	globs: []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
		"/Library/PostgreSQL/*/bin",
		"/usr/libexec/postgresql*",
	},
}

// find returns the folder that holds initdb and postgres.
func (p places) find(ctx context.Context) (string, error) {
	for _, dir := range p.candidates(ctx) {
		if isProgram(filepath.Join(dir, "initdb")) && isProgram(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", &NotInstalledError{Looked: append([]string{"PATH"}, p.globs...)}
}

func (p places) candidates(ctx context.Context) []string {
	var dirs []string
	if initdb, err := p.lookPath("initdb"); err == nil {
		// A link on the PATH may lead to a folder that has all of the programs.
		if target, err := filepath.EvalSymlinks(initdb); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	if config, err := p.lookPath("pg_config"); err == nil {
		if out, err := exec.CommandContext(ctx, config, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	for _, glob := range p.globs {
		found, _ := filepath.Glob(glob) // the only error is a bad pattern, and ours are tested
		slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
		dirs = append(dirs, found...)
	}
	return dirs
}

// version is the first number in a path such as /usr/lib/postgresql/15/bin.
func version(path string) int {
	digits := strings.TrimLeftFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		digits = digits[:end]
	}
	n, _ := strconv.Atoi(digits) // no number sorts last
	return n
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
