package admin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
)

const mysql = "mysql"

// Records is the table of one database.
type Records struct {
	db      *sql.DB
	dialect string
	sql     dialect.Admin
}

// Open names the table; an empty one means idempotency_records. It does not touch the
// database.
func Open(db *sql.DB, dialectName, table string) (*Records, error) {
	if db == nil {
		return nil, errors.New("open records: no database given")
	}
	statements, err := dialect.LoadAdmin(dialectName, table)
	if err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	return &Records{db: db, dialect: dialectName, sql: statements}, nil
}

// bind gives a statement and its arguments as the driver takes them.
func (r *Records) bind(statement string, args []any) (string, []any) {
	if r.dialect != mysql {
		return statement, args
	}
	p := dialect.NewPositional(statement)
	return p.SQL, p.Arguments(args)
}

// tries is how often a statement is sent that may be sent again.
const tries = 3

// again sends what may be sent twice a few times: a connection of the pool may have
// gone, and another transaction may have been in the way. A refusal stays one.
func again(ctx context.Context, send func() error) error {
	for n := 1; ; n++ {
		err := refusal(send())
		var refused *RefusedError
		if err == nil || n == tries || ctx.Err() != nil || errors.Is(err, sql.ErrNoRows) || errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(n) * 100 * time.Millisecond):
		}
	}
}

// query reads some rows. Before it is sent again, reset forgets what came so far.
func (r *Records) query(ctx context.Context, statement string, args []any, reset func(), scan func(*sql.Rows) error) error {
	statement, args = r.bind(statement, args)
	return again(ctx, func() (err error) {
		reset()
		rows, err := r.db.QueryContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// row reads one row; false when there is none.
func (r *Records) row(ctx context.Context, statement string, args []any, dest ...any) (bool, error) {
	statement, args = r.bind(statement, args)
	err := again(ctx, func() error { return r.db.QueryRowContext(ctx, statement, args...).Scan(dest...) })
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// pageSize is how many records one statement looks at, so that none walks far.
const pageSize = 1000

// Walk says which records are looked at, and hears how far it has come. There is no
// index but the key, so each of them is read, in pages.
type Walk struct {
	// JobType is the only one that is looked at; empty: all there are, also those that
	// no job file names any more.
	JobType string
	// Looked is told how many records have been looked at so far; may be nil.
	Looked func(records int64)

	looked int64
}

func (w *Walk) add(n int64) {
	w.looked += n
	if w.Looked != nil {
		w.Looked(w.looked)
	}
}

// JobTypes lists those that there are records of.
func (r *Records) JobTypes(ctx context.Context) (all []string, err error) {
	err = r.jobTypes(ctx, "", func(jobType string) error {
		all = append(all, jobType)
		return nil
	})
	if err != nil {
		err = fmt.Errorf("read job types: %w", err)
	}
	return all, err
}

// jobTypes calls for each job type in the table, or for the only one.
func (r *Records) jobTypes(ctx context.Context, only string, each func(jobType string) error) error {
	if only != "" {
		return each(only)
	}
	for jobType := ""; ; {
		there, err := r.row(ctx, r.sql.NextJob, []any{jobType}, &jobType)
		if err != nil || !there {
			return err
		}
		if err := each(jobType); err != nil {
			return err
		}
	}
}
