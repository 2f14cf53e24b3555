package main

import (
	"database/sql"
	"net/url"
	"os"
	"strings"

	"github.com/twiceproof/twiceproof/replay"
)

func openSQLite(dsn string) (*sql.DB, error) {
	path := sqlitePath(dsn)
	if info, err := os.Stat(path); err != nil || info.IsDir() { // SQLite would make an empty one
		return nil, &replay.Problem{
			What: "there is no such SQLite database",
			Hint: "write --dsn sqlite:///path, with the whole path of the file, and with %20 %23 %25 %3F for a blank, # % and ?",
		}
	}
	file := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=rw&_pragma=busy_timeout(5000)"}
	return sql.Open("sqlite", file.String())
}

// sqlitePath reads the address as a URL. Many programs write a path into it as it is;
// where that names a file, it is meant.
func sqlitePath(dsn string) string {
	_, written, _ := strings.Cut(dsn, "://")
	if _, err := os.Stat(written); err == nil {
		return written
	}
	path, _, _ := strings.Cut(written, "#")
	path, _, _ = strings.Cut(path, "?")
	if decoded, err := url.PathUnescape(path); err == nil {
		return decoded
	}
	return path
}
