package postgres

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// NotInstalledError says that no PostgreSQL server programs were found.
type NotInstalledError = process.NotInstalledError

// installers are package managers and the line that brings the server programs.
var installers = []process.Installer{
	{Program: "brew", Line: "brew install postgresql@17"},
	{Program: "apt-get", Line: "sudo apt-get install postgresql   (its own server need not run: sudo systemctl disable --now postgresql)"},
	{Program: "dnf", Line: "sudo dnf install postgresql-server"},
	{Program: "apk", Line: "sudo apk add postgresql"},
	{Program: "pacman", Line: "sudo pacman -S postgresql"},
}

const otherwise = "install PostgreSQL 13 or later and put its initdb on the PATH: https://www.postgresql.org/download/"

// places are where server programs are looked for, in this order.
type places struct{ process.Places }

var usualPlaces = places{process.UsualPlaces(
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/Library/PostgreSQL/*/bin",
	"/usr/libexec/postgresql*",
)}

// find returns the folder that holds initdb and postgres.
func (p places) find(ctx context.Context) (string, error) {
	for _, dir := range p.candidates(ctx) {
		if process.IsProgram(filepath.Join(dir, "initdb")) && process.IsProgram(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", &NotInstalledError{
		Missing: "PostgreSQL server programs (initdb, postgres)",
		Looked:  p.Looked(),
		Line:    process.InstallLine(p.LookPath, installers, otherwise),
	}
}

func (p places) candidates(ctx context.Context) []string {
	var dirs []string
	if initdb, err := p.LookPath("initdb"); err == nil {
		// A link on the PATH may lead to a folder that has all of the programs.
		if target, err := filepath.EvalSymlinks(initdb); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	if config, err := p.LookPath("pg_config"); err == nil {
		if out, err := exec.CommandContext(ctx, config, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	for _, glob := range p.Globs {
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
