package table

import (
	"embed"
	"strings"
	"text/template"

	"github.com/twiceproof/twiceproof/repeats/source"
)

// Dialects are those that Query can write.
var Dialects = []string{Postgres, MySQL, SQLite, DuckDB, Trino, BigQuery}

//go:embed query/*.sql
var queries embed.FS

// checked says, in the query itself, how far it has been tried.
var checked = map[string]string{
	Postgres: "Run on PostgreSQL by the tests.",
	MySQL:    "Run on MariaDB by the tests; MySQL 8 and newer take it, too.",
	SQLite:   "Run on SQLite by the tests.",
	DuckDB:   "Run on DuckDB by the tests.",
	Trino:    "Parse-checked only: it has not been run on Trino.",
	BigQuery: "Parse-checked only: it has not been run on BigQuery.",
}

// Query is the statement that lists the repeats of a table: one line for each event
// after a reference's first.
func Query(dialect, name string, c source.Columns) (string, error) {
	if checked[dialect] == "" {
		hint := "write " + strings.Join(Dialects, ", ")
		if near := source.Nearest(dialect, Dialects); near != "" {
			hint = "did you mean " + near + "?"
		}
		return "", &source.Error{What: "--dialect: there is none of that name", Hint: hint}
	}
	if err := checkNames(name, c); err != nil {
		return "", err
	}
	t, err := template.ParseFS(queries, "query/"+dialect+".sql")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, map[string]string{
		"Checked": checked[dialect], "Table": quoteTable(dialect, name), "Reference": quote(dialect, c.Reference), "Time": quote(dialect, c.Time),
	})
	return text.String(), err
}
