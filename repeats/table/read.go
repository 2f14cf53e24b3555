package table

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/repeats/source"
)

// reachable is how long a database may take to answer at all.
var reachable = 15 * time.Second

// Table is a table to be read.
type Table struct {
	DB      *sql.DB
	Dialect string
	Name    string
	Columns source.Columns
	Limit   time.Duration // of each statement
}

// session is one transaction that cannot write.
type session struct {
	Table
	conn    *sql.Conn
	tx      *sql.Tx
	mariadb bool
	types   map[string]string // of each column, as the driver names it
	names   []string
}

// Read hands every row on. It first tells about the table; an error of told ends it.
func (t Table) Read(ctx context.Context, sink source.Sink, told func(About) error) error {
	if err := checkNames(t.Name, t.Columns); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.Limit+5*time.Second) // for a database that keeps no limit
	defer cancel()
	s, err := t.begin(ctx)
	if err != nil {
		return err
	}
	defer s.end()
	about, err := s.about(ctx)
	if err != nil {
		return t.wrong(ctx, err)
	}
	if err := told(about); err != nil {
		return err
	}
	return t.wrong(ctx, s.rows(ctx, sink))
}

// connect bounds the first word with the database.
func (t Table) connect(ctx context.Context) (*sql.Conn, error) {
	first, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	conn, err := t.DB.Conn(first)
	if err != nil && ctx.Err() == nil {
		return nil, &source.Error{What: "no connection to the database: " + err.Error(), Hint: "check --dsn, and that the database can be reached from here"}
	}
	return conn, err
}

// begin opens the transaction. Its statements go to the server as plain text: prepared
// ones would be lost behind a pooler.
func (t Table) begin(ctx context.Context) (*session, error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: t.Dialect != SQLite}) // a SQLite file is opened read-only
	if err != nil {
		_ = conn.Close()
		return nil, t.wrong(ctx, err)
	}
	s := &session{Table: t, conn: conn, tx: tx, types: map[string]string{}}
	switch t.Dialect {
	case Postgres:
		_, err = tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", t.Limit.Milliseconds()))
	case MySQL:
		var version string
		err = tx.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version)
		s.mariadb = strings.Contains(version, "MariaDB")
	}
	if err != nil {
		s.end()
		return nil, t.wrong(ctx, err)
	}
	return s, nil
}

func (s *session) end() {
	_ = s.tx.Rollback()
	_ = s.conn.Close()
}

// query runs a SELECT under the time limit.
func (s *session) query(ctx context.Context, text string) (*sql.Rows, error) {
	switch {
	case s.Dialect == Postgres:
		return s.tx.QueryContext(ctx, text, pgx.QueryExecModeSimpleProtocol)
	case s.mariadb:
		text = fmt.Sprintf("SET STATEMENT max_statement_time=%d FOR %s", max(1, int(s.Limit.Seconds())), text)
	case s.Dialect == MySQL:
		text = fmt.Sprintf("SELECT /*+ MAX_EXECUTION_TIME(%d) */ %s", s.Limit.Milliseconds(), strings.TrimPrefix(text, "SELECT "))
	}
	return s.tx.QueryContext(ctx, text)
}

func (s *session) rows(ctx context.Context, sink source.Sink) error {
	names := columnsOf(s.Columns)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = s.text(name)
	}
	rows, err := s.query(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+quoteTable(s.Dialect, s.Name))
	if err != nil {
		return err
	}
	defer rows.Close()
	fields, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range fields {
		into[i] = &fields[i]
	}
	texts, rec := make([]string, len(names)), source.Record{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, f := range fields {
			texts[i] = f.String
		}
		rec.Fill(s.Columns, texts)
		if err := sink.Take(&rec); err != nil {
			return err
		}
	}
	return rows.Err()
}

// text is the expression for a column's value as text. An instant becomes seconds since
// 1970, whatever the session's time zone is; a time without a zone stays one.
func (s *session) text(column string) string {
	name := quote(s.Dialect, column)
	kind := s.types[column]
	switch {
	case s.Dialect == Postgres && kind == "TIMESTAMPTZ":
		return "extract(epoch FROM " + name + ")::text"
	case s.Dialect == Postgres && kind == "TIMESTAMP":
		return "to_char(" + name + ", 'YYYY-MM-DD HH24:MI:SS.US')"
	case s.Dialect == Postgres:
		return name + "::text"
	case s.Dialect == MySQL && kind == "TIMESTAMP":
		return "CAST(UNIX_TIMESTAMP(" + name + ") AS CHAR)"
	case s.Dialect == MySQL && slices.Contains([]string{"BINARY", "VARBINARY", "BLOB", "BIT"}, kind):
		return name // a cast makes ? of each byte that is no text, and one reference of many
	case s.Dialect == MySQL:
		return "CAST(" + name + " AS CHAR)"
	}
	return "CAST(" + name + " AS TEXT)"
}

// wrong says what went wrong, with a hint for what is usual.
func (t Table) wrong(ctx context.Context, err error) error {
	var ours *source.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	if parent := context.Cause(ctx); errors.Is(parent, context.Canceled) {
		return parent
	}
	said := strings.ToLower(err.Error())
	for _, words := range []string{"statement timeout", "max_statement_time", "maximum statement execution time", "deadline exceeded", "interrupted"} {
		if strings.Contains(said, words) {
			return &source.Error{
				What: "the statement ran into its time limit of " + t.Limit.String() + "; nothing is concluded from a part",
				Hint: "give it longer with --time-limit, or export the columns and read them with --csv",
			}
		}
	}
	var data *pgconn.PgError
	if errors.As(err, &data) && strings.HasPrefix(data.Code, "22") { // a view that makes a number of a text names the text
		return &source.Error{What: "the table has a value that the database cannot read (SQLSTATE " + data.Code + ")", Hint: "is it a view? Name the table below it"}
	}
	return &source.Error{What: "the table cannot be read: " + err.Error(), Hint: "check --dsn and --table, and that this user may read it"}
}
