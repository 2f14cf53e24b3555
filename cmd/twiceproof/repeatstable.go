package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/repeats/scan"
	"github.com/twiceproof/twiceproof/repeats/table"
)

func (l *look) readTable(ctx context.Context) error {
	limit, err := jobfile.ParseDuration(l.timeLimit)
	if err != nil || limit < time.Second {
		return &hinted.Error{What: "--time-limit is no duration that can be used", Hint: "write one such as 10m"}
	}
	db, dialect, err := openToRead(orVariable(l.dsn, "DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close()
	t := table.Table{DB: db, Dialect: dialect, Name: l.table, Columns: l.columns, Limit: limit}
	err = t.Read(ctx, untilDone(ctx, l.Sink(scan.Input{Clock: l.clock, Table: true})), func(a table.About) error {
		l.names = a.Names
		if a.Unique {
			l.cannot = "a unique key on the reference alone lets the table have one row for each"
			if l.join.file == "" {
				return errCannot
			}
		}
		if len(a.Beside) > 0 {
			l.notes = append(l.notes, fmt.Sprintf("a unique key has the reference and %d more columns: rows that agree in all of them cannot be there", len(a.Beside)))
		}
		return nil
	})
	if errors.Is(err, errCannot) {
		return nil
	}
	return err
}

// errCannot: there is nothing to be read for.
var errCannot = errors.New("this source cannot show repeats")

// openToRead opens a SQLite file so that it cannot be written; the others are kept from
// writing by their transaction.
func openToRead(dsn string) (*sql.DB, string, error) {
	if isSQLite(dsn) {
		db, err := openSQLiteFile(dsn, "mode=ro&_pragma=query_only(1)")
		return db, table.SQLite, err
	}
	db, d, err := openDSN(dsn)
	return db, string(d), err
}
