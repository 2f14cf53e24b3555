package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twiceproof/twiceproof/dialect"
)

func schemaCommand(std stdio) *cobra.Command {
	var name, table string
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the SQL of the idempotency record's table",
		Long: `Print the SQL that makes the table of idempotency records.
Nothing is run: put it into a migration of your application.`,
		Example: "  twiceproof schema --dialect postgres > migrations/0042_idempotency_records.sql",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			statements, err := dialect.Load(name, table)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(std.out, statements.Schema)
			return err
		},
	}
	cmd.Flags().StringVar(&name, "dialect", "postgres", "the database: "+strings.Join(dialect.Names(), " or "))
	cmd.Flags().StringVar(&table, "table", dialect.Table, "the table's name, as in the job file")
	return cmd
}
