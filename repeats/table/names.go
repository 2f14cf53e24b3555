package table

import (
	"strings"

	"github.com/twiceproof/twiceproof/repeats/source"
)

// The dialects.
const (
	Postgres = "postgres"
	MySQL    = "mysql"
	SQLite   = "sqlite"
	DuckDB   = "duckdb"
	Trino    = "trino"
	BigQuery = "bigquery"
)

// quote makes a name one that the dialect takes as it is.
func quote(dialect, name string) string {
	if dialect == MySQL || dialect == BigQuery {
		return "`" + name + "`"
	}
	return `"` + name + `"`
}

// quoteTable quotes each part of schema.table.
func quoteTable(dialect, name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = quote(dialect, p)
	}
	return strings.Join(parts, ".")
}

// checkName refuses what could end a quoted name.
func checkName(what, name string) error {
	if name == "" || len(name) > 200 || strings.ContainsAny(name, "\"`'\\;\x00\n\r") {
		return &source.Error{What: "the " + what + " is no plain name", Hint: "write it without quotes, such as charges or app.charges"}
	}
	return nil
}

func checkNames(name string, c source.Columns) error {
	if err := checkName("table", name); err != nil {
		return err
	}
	for _, column := range columnsOf(c) {
		if err := checkName("column", column); err != nil {
			return err
		}
	}
	return nil
}

// columnsOf are the columns that are named, in the order of a Record.
func columnsOf(c source.Columns) []string {
	list := []string{c.Reference, c.Time}
	if c.Message != "" {
		list = append(list, c.Message)
	}
	return append(append(list, c.Content...), c.Key...)
}
