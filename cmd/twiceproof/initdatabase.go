package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

// databaseNames are as a person says them.
var databaseNames = map[string]string{"postgres": "PostgreSQL", "mysql": "MySQL or MariaDB", "sqlite": "SQLite"}

// databaseOf is the one that is named, or else the one that all agree on who tell of it:
// a migration for another database might run, and be wrong.
func databaseOf(flag string, repository fs.FS, address string) (string, error) {
	if flag != "" {
		if !slices.Contains(dialect.Names(), flag) {
			return "", &hinted.Error{What: fmt.Sprintf("--database: there is none called %q", flag), Hint: nameDatabase}
		}
		return flag, nil
	}
	told := change.Databases(repository)
	if kind, _ := addressOf(address); kind != "" {
		told = append(told, change.Told{Database: kind, Where: "DATABASE_URL"})
	}
	if len(told) == 0 {
		return "", &hinted.Error{What: "nothing tells which database the application has", Hint: nameDatabase}
	}
	var said []string
	for _, t := range told {
		said = append(said, t.Where+" says "+t.Database)
	}
	first := told[0].Database
	if slices.ContainsFunc(told, func(t change.Told) bool { return t.Database != first }) {
		return "", &hinted.Error{What: "it is not clear which database the application has: " + strings.Join(said, ", "), Hint: nameDatabase}
	}
	if databaseNames[first] == "" {
		return "", &hinted.Error{What: "there are no files for the application's database: " + strings.Join(said, ", "), Hint: nameDatabase}
	}
	return first, nil
}

var nameDatabase = "write --database " + strings.Join(dialect.Names(), ", --database ") + "; MariaDB's is mysql"
