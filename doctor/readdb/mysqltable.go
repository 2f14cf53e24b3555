package readdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/doctor"
)

// here is the condition for the table, which may be named with its database.
const here = ` table_schema = COALESCE(NULLIF(?, ''), DATABASE()) AND table_name = ?`

func readMySQLTable(ctx context.Context, conn *sql.Conn, live *doctor.Table) error {
	database, name, cut := strings.Cut(live.Name, ".")
	if !cut {
		database, name = "", live.Name
	}
	var kind string
	var engine sql.NullString
	err := conn.QueryRowContext(ctx, "SELECT table_type, engine, CURRENT_USER() FROM information_schema.tables WHERE"+here, database, name).Scan(&kind, &engine, &live.Account)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	live.Exists, live.Kind, live.Engine = true, "table", engine.String
	if kind != "BASE TABLE" {
		live.Kind = strings.ToLower(kind)
		return nil
	}
	for _, read := range []func(context.Context, *sql.Conn, *doctor.Table, string, string) error{readMySQLColumns, readMySQLIndexes, readMySQLTriggers, readMySQLText} {
		if err := read(ctx, conn, live, database, name); err != nil {
			return err
		}
	}
	return nil
}

func readMySQLColumns(ctx context.Context, conn *sql.Conn, live *doctor.Table, database, name string) error {
	rows, err := conn.QueryContext(ctx, "SELECT column_name, column_type, is_nullable = 'NO', column_default, extra FROM information_schema.columns WHERE"+here+" ORDER BY ordinal_position", database, name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c doctor.Column
		var fallback sql.NullString
		var extra string
		if err := rows.Scan(&c.Name, &c.Type, &c.NotNull, &fallback, &extra); err != nil {
			return err
		}
		if fallback.Valid && !strings.EqualFold(fallback.String, "NULL") { // MariaDB writes the word
			c.Default = &fallback.String
		}
		extra = strings.ToLower(extra)
		c.Made = strings.Contains(extra, "auto_increment") || strings.Contains(extra, "generated")
		live.Columns = append(live.Columns, c)
	}
	return rows.Err()
}

func readMySQLIndexes(ctx context.Context, conn *sql.Conn, live *doctor.Table, database, name string) error {
	rows, err := conn.QueryContext(ctx, "SELECT index_name, non_unique = 0, COALESCE(column_name, ''), sub_part IS NOT NULL FROM information_schema.statistics WHERE"+here+
		" ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index", database, name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var i doctor.Index
		var k doctor.IndexKey
		if err := rows.Scan(&i.Name, &i.Unique, &k.Column, &k.Part); err != nil {
			return err
		}
		addKey(live, i, k)
	}
	return rows.Err()
}

// readMySQLTriggers: without the privilege TRIGGER an account does not see them.
func readMySQLTriggers(ctx context.Context, conn *sql.Conn, live *doctor.Table, database, name string) error {
	rows, err := conn.QueryContext(ctx, `SELECT trigger_name FROM information_schema.triggers
WHERE event_object_schema = COALESCE(NULLIF(?, ''), DATABASE()) AND event_object_table = ? ORDER BY trigger_name`, database, name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var trigger string
		if err := rows.Scan(&trigger); err != nil {
			return err
		}
		live.Triggers = append(live.Triggers, "the trigger "+trigger)
	}
	if err := rows.Err(); err != nil || len(live.Triggers) > 0 {
		return err
	}
	var may int
	err = conn.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type = 'TRIGGER')
 + (SELECT COUNT(*) FROM information_schema.schema_privileges WHERE privilege_type = 'TRIGGER' AND COALESCE(NULLIF(?, ''), DATABASE()) LIKE table_schema)
 + (SELECT COUNT(*) FROM information_schema.table_privileges WHERE privilege_type = 'TRIGGER' AND`+here+`)`, database, database, name).Scan(&may)
	if err == nil && may == 0 {
		live.Missing["table.trigger"] = "the account " + live.Account + " may not see the table's triggers: it has no TRIGGER privilege"
	}
	return err
}

// readMySQLText takes the CHECKs and partitions from the table's own text: where the
// catalogues keep them differs between MySQL and MariaDB.
func readMySQLText(ctx context.Context, conn *sql.Conn, live *doctor.Table, _, _ string) error {
	var name, text string
	if err := conn.QueryRowContext(ctx, "SHOW CREATE TABLE "+live.Name).Scan(&name, &text); err != nil {
		return fmt.Errorf("show how the table was made: %w", err)
	}
	if strings.Contains(text, "PARTITION BY") {
		live.Kind = "partitioned table"
	}
	live.Checks = doctor.Checks(text)
	return nil
}
