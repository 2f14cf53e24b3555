package admin

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // registers the driver "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// database is one kind of database.
type database struct {
	name, driver string
	dsn          func(t testing.TB, schema ...string) string
	ago          string // so many milliseconds before now
	text         string // a text as the message's type
}

var databases = []database{
	{"postgres", "pgx", testdb.Postgres, "statement_timestamp() - %d * interval '1 millisecond'", "convert_to('%s', 'UTF8')"},
	{"mysql", "mysql", testdb.MySQL, "UTC_TIMESTAMP(6) - INTERVAL %d * 1000 MICROSECOND", "'%s'"},
	{"sqlite", "sqlite", testdb.SQLite, "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER) - %d", "CAST('%s' AS BLOB)"},
}

// rig is a private database with the table.
type rig struct {
	t   testing.TB
	d   database
	dsn string
	db  *sql.DB
	*Records
}

func onEach(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, newRig(t, d)) })
	}
}

func newRig(t testing.TB, d database) *rig {
	t.Helper()
	s, err := dialect.Load(d.name, "")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, d: d, dsn: d.dsn(t, s.Schema)}
	r.db = openDB(t, d, r.dsn)
	r.Records = openRecords(t, r.db, d)
	return r
}

func openDB(t testing.TB, d database, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(d.driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func openRecords(t testing.TB, db *sql.DB, d database) *Records {
	t.Helper()
	records, err := Open(db, d.name, "")
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// values of a row, as SQL.
type values map[string]string

func (r *rig) ago(d time.Duration) string { return fmt.Sprintf(r.d.ago, d.Milliseconds()) }

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// claimed is a claim made an hour ago with a lease of a minute, and more columns.
func (r *rig) claimed(key string, more ...values) values {
	v := values{
		"job_type": "'charge'", "operation_key": quote(key), "state": "'claimed'", "claim_token": quote(fmt.Sprintf("%032x", key)[:32]),
		"claimed_at": r.ago(time.Hour), "first_claimed_at": r.ago(time.Hour), "lease_ms": "60000", "claimed_by": "'worker-1'",
	}
	for _, m := range more {
		maps.Copy(v, m)
	}
	return v
}

func (r *rig) held(reason string, ago time.Duration) values {
	return values{"state": "'held'", "held_at": r.ago(ago), "hold_reason": quote(reason), "policy": "'hold'",
		"message": fmt.Sprintf(r.d.text, "pay"), "reference": "'ref-1'"}
}

func (r *rig) completed(completion string, ago time.Duration) values {
	return values{"state": "'completed'", "completion": quote(completion), "completed_at": r.ago(ago)}
}

// insert writes rows of any columns, many in one statement.
func (r *rig) insert(rows ...values) {
	r.t.Helper()
	columns := map[string]bool{}
	for _, v := range rows {
		for name := range v {
			columns[name] = true
		}
	}
	defaults := map[string]string{"acts": "1", "given_up": "false", "repeats": "0", "vanished": "0", "lookups": "0", "requeues": "0"}
	names := slices.Sorted(maps.Keys(columns))
	for page := range slices.Chunk(rows, 1000) {
		tuples := make([]string, len(page))
		for i, v := range page {
			texts := make([]string, len(names))
			for n, name := range names {
				switch texts[n] = v[name]; {
				case texts[n] != "":
				case defaults[name] != "":
					texts[n] = defaults[name]
				default:
					texts[n] = "NULL"
				}
			}
			tuples[i] = "(" + strings.Join(texts, ", ") + ")"
		}
		r.exec("INSERT INTO idempotency_records (" + strings.Join(names, ", ") + ") VALUES " + strings.Join(tuples, ", "))
	}
}

func (r *rig) exec(statement string) {
	r.t.Helper()
	if _, err := r.db.ExecContext(context.Background(), statement); err != nil {
		r.t.Fatalf("%.200s: %v", statement, err)
	}
}

// keys are those in the table.
func (r *rig) keys() map[string]bool {
	r.t.Helper()
	rows, err := r.db.QueryContext(context.Background(), "SELECT operation_key FROM idempotency_records")
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	all := map[string]bool{}
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			r.t.Fatal(err)
		}
		all[key] = true
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	return all
}

// one is a column of the record, as text; "null" when it is not set.
func (r *rig) one(key, column string) string {
	r.t.Helper()
	var value sql.NullString
	statement := "SELECT " + column + " FROM idempotency_records WHERE operation_key = " + quote(key)
	if err := r.db.QueryRowContext(context.Background(), statement).Scan(&value); err != nil {
		r.t.Fatal(err)
	}
	if !value.Valid {
		return "null"
	}
	return value.String
}

func (r *rig) want(key string, wants map[string]string) {
	r.t.Helper()
	for column, want := range wants {
		got := r.one(key, column)
		if want == "set" && got != "null" {
			continue
		}
		if got != want {
			r.t.Errorf("%s: %s is %q, want %q", key, column, got, want)
		}
	}
}

func (r *rig) record(key string) Record {
	r.t.Helper()
	rec, there, err := r.Record(r.t.Context(), "charge", key)
	if err != nil || !there {
		r.t.Fatalf("%s: %v %v", key, there, err)
	}
	return rec
}
