package readdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/twiceproof/twiceproof/doctor"
)

// SQLite reads a database file, and what the workers' address says of it.
func SQLite(ctx context.Context, path, dsn, table string) (*doctor.SQLite, *doctor.Table, error) {
	file := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=rw&_pragma=busy_timeout(5000)&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = db.Close() }()
	s := &doctor.SQLite{Pragmas: Pragmas(dsn), Missing: doctor.Missing{}}
	live := &doctor.Table{Dialect: "sqlite", Name: table, Missing: doctor.Missing{}}
	if s.Place, err = placeOf(path); err != nil {
		s.Missing["sqlite.network"] = "the file system cannot be told: " + err.Error()
	}
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&s.Version); err != nil {
		return nil, nil, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&s.Journal); err != nil {
		return nil, nil, err
	}
	return s, live, readSQLiteTable(ctx, db, live)
}

var (
	called    = regexp.MustCompile(`^(\w+)\s*[(=]\s*'?(\w+)'?\)?$`)
	shortcuts = map[string]string{
		"_journal_mode": "journal_mode", "_journal": "journal_mode", "_synchronous": "synchronous", "_sync": "synchronous",
		"_busy_timeout": "busy_timeout", "_timeout": "busy_timeout",
	}
)

// Pragmas are those that an address names, as the drivers read them.
func Pragmas(dsn string) map[string]string {
	all := map[string]string{}
	_, query, _ := strings.Cut(dsn, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return all
	}
	for name, given := range values {
		for _, value := range given {
			if m := called.FindStringSubmatch(value); name == "_pragma" && m != nil {
				all[strings.ToLower(m[1])] = m[2]
			}
			if pragma, is := shortcuts[name]; is {
				all[pragma] = value
			}
		}
	}
	return all
}

func readSQLiteTable(ctx context.Context, db *sql.DB, live *doctor.Table) error {
	var create string
	err := db.QueryRowContext(ctx, "SELECT type, COALESCE(sql, '') FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE", live.Name).Scan(&live.Kind, &create)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	live.Exists, live.Checks = true, doctor.Checks(withoutComments(create))
	if strings.HasPrefix(strings.ToUpper(create), "CREATE VIRTUAL") {
		live.Kind = "virtual table"
	}
	for _, read := range []func(context.Context, *sql.DB, *doctor.Table) error{readSQLiteColumns, readSQLiteIndexes, readSQLiteTriggers} {
		if err := read(ctx, db, live); err != nil {
			return err
		}
	}
	if live.Kind == "table" && hasColumns(live, "state", "held_at") {
		ctx, cancel := context.WithTimeout(ctx, countLimit)
		defer cancel()
		err := db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+live.Name+" WHERE state = 'held' AND held_at < (julianday('now') - 2440587.5 - 7) * 86400000 LIMIT 1000)").Scan(&live.HeldLong)
		if err != nil {
			live.Missing["records.held_unattended"] = fmt.Sprintf("the records could not be counted: %v", err)
		}
	}
	return nil
}

func withoutComments(create string) string {
	return regexp.MustCompile(`--.*`).ReplaceAllString(create, "")
}

func readSQLiteColumns(ctx context.Context, db *sql.DB, live *doctor.Table) error {
	rows, err := db.QueryContext(ctx, `SELECT name, type, "notnull", dflt_value, hidden > 1 FROM pragma_table_xinfo(?)`, live.Name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c doctor.Column
		var fallback sql.NullString
		if err := rows.Scan(&c.Name, &c.Type, &c.NotNull, &fallback, &c.Made); err != nil {
			return err
		}
		if fallback.Valid {
			c.Default = &fallback.String
		}
		live.Columns = append(live.Columns, c)
	}
	return rows.Err()
}

// readSQLiteIndexes: an index has the collation of its column where it names none.
func readSQLiteIndexes(ctx context.Context, db *sql.DB, live *doctor.Table) error {
	rows, err := db.QueryContext(ctx, `
SELECT l.name, l."unique", l.partial, COALESCE(x.name, ''), x.coll <> 'BINARY'
FROM pragma_index_list(?) AS l, pragma_index_xinfo(l.name) AS x WHERE x.key = 1 ORDER BY l.origin <> 'pk', l.name, x.seqno`, live.Name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var i doctor.Index
		var k doctor.IndexKey
		if err := rows.Scan(&i.Name, &i.Unique, &i.Partial, &k.Column, &k.Alike); err != nil {
			return err
		}
		addKey(live, i, k)
	}
	return rows.Err()
}

func readSQLiteTriggers(ctx context.Context, db *sql.DB, live *doctor.Table) error {
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name", live.Name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		live.Triggers = append(live.Triggers, "the trigger "+name)
	}
	return rows.Err()
}
