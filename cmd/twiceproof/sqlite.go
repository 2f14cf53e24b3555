package main

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

func openSQLite(dsn string) (*sql.DB, error) { return openSQLiteFile(dsn, "mode=rw") }

func openSQLiteFile(dsn, how string) (*sql.DB, error) {
	path := sqlitePath(dsn)
	if path == "" { // SQLite would make an empty one
		return nil, &hinted.Error{
			What: "there is no such SQLite database",
			Hint: "write --dsn sqlite:path, or sqlite:////path with the whole path of the file, and with %20 %23 %25 %3F for a blank, # % and ?",
		}
	}
	file := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: how + "&_pragma=busy_timeout(5000)"}
	return sql.Open("sqlite", file.String())
}

func isSQLite(dsn string) bool {
	kind, _ := addressOf(dsn)
	return kind == "sqlite"
}

// sqlitePath is the whole path of the file that the address names, or empty when there is
// none.
func sqlitePath(dsn string) string {
	for _, path := range sqlitePaths(dsn) {
		whole, err := filepath.Abs(path)
		if err != nil {
			continue
		}
		if info, err := os.Stat(whole); err == nil && !info.IsDir() {
			return whole
		}
	}
	return ""
}

// sqlitePaths are what an address may mean. Many programs write a path into it as it is,
// so that comes before its reading as a URL. Three slashes are the whole path for us and
// for most, and a path from here for SQLAlchemy, which writes four for a whole one.
func sqlitePaths(dsn string) (paths []string) {
	_, written, _ := strings.Cut(dsn, ":")
	after, hasHost := strings.CutPrefix(written, "//")
	if rest, is := strings.CutPrefix(after, "localhost/"); hasHost && is {
		after = "/" + rest
	}
	path, _, _ := strings.Cut(after, "#")
	path, _, _ = strings.Cut(path, "?")
	paths = []string{after}
	if decoded, err := url.PathUnescape(path); err == nil {
		paths = append(paths, decoded)
	}
	if hasHost {
		for _, whole := range slices.Clone(paths) {
			paths = append(paths, strings.TrimPrefix(whole, "/"))
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}
