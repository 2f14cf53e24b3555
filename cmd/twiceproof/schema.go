package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

const schemaSchema = "twiceproof.schema/1"

func schemaCommand(std stdio) *cobra.Command {
	var name, table string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the SQL of the idempotency record's table",
		Long: `Print the SQL that makes the table of idempotency records.
Nothing is run: put it into a migration of your application.`,
		Example: "  twiceproof schema --dialect postgres > migrations/0042_idempotency_records.sql",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			statements, err := loadSchema(name, table)
			if err != nil {
				return err
			}
			if db, _, cut := strings.Cut(table, "."); cut && name == "sqlite" && !asJSON {
				fmt.Fprintf(std.err, "note: in SQLite %s is the name that a second database is attached by (main is the first); a job file names the table alone\n", db)
			}
			r := schemaResult{Schema: schemaSchema, Dialect: name, Table: table, SQL: statements.Schema}
			return show(std.out, asJSON, r, r.text)
		},
	}
	cmd.Flags().StringVar(&name, "dialect", "postgres", "the database: "+strings.Join(dialect.Names(), " or "))
	cmd.Flags().StringVar(&table, "table", dialect.Table, "the table's name, as in the job file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON (schema "+schemaSchema+")")
	return cmd
}

func loadSchema(name, table string) (dialect.Statements, error) {
	if !slices.Contains(dialect.Names(), name) {
		return dialect.Statements{}, &hinted.Error{What: fmt.Sprintf("--dialect: there is none for %q", name), Hint: "write " + strings.Join(dialect.Names(), " or ") + "; MariaDB's is mysql"}
	}
	s, err := dialect.Load(name, table)
	if err != nil {
		err = noTable(err)
	}
	return s, err
}

// noTable is of a name that dialect.Load refuses, and is the same for all commands.
func noTable(err error) error {
	return &hinted.Error{What: err.Error(), Hint: "write it without quotes, in up to 57 ASCII letters, digits and _, and no word of SQL, such as idempotency_records or app.idempotency_records"}
}

// schemaResult is described in docs/json.md.
type schemaResult struct {
	Schema  string `json:"schema"`
	Dialect string `json:"dialect"`
	Table   string `json:"table"`
	SQL     string `json:"sql"`
}

func (r schemaResult) text(w io.Writer) error {
	_, err := io.WriteString(w, r.SQL)
	return err
}
