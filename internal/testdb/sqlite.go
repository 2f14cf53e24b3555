package testdb

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// busyTimeout is how long, in milliseconds, a connection waits for the writer.
const busyTimeout = "5000"

// SQLite returns the DSN of a new, private database file in WAL mode, for
// sql.Open("sqlite", dsn), in which the schema's statements have been run. It
// sets no _txlock: whoever needs BEGIN IMMEDIATE says so.
func SQLite(t testing.TB, schema ...string) string {
	t.Helper()
	return sqlite(t, "wal", schema)
}

// SQLiteRollback is SQLite with the rollback journal, SQLite's own default.
func SQLiteRollback(t testing.TB, schema ...string) string {
	t.Helper()
	return sqlite(t, "delete", schema)
}

func sqlite(t testing.TB, journal string, schema []string) string {
	t.Helper()
	dsn := sqliteDSN(filepath.Join(t.TempDir(), "test.db"), journal)
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatalf("testdb: open SQLite: %v", err)
	}
	defer func() { _ = db.Close() }()
	// Without a statement nothing would be made: the file is here, in its
	// journal mode, before the first of several connections opens it.
	for _, statements := range append([]string{"SELECT 1"}, schema...) {
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Fatalf("testdb: run schema: %v", err)
		}
	}
	return dsn
}

func sqliteDSN(file, journal string) string {
	// Escaped, since a test's name may bring a ? or # into its folder's.
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: file}
	dsn.RawQuery = "_pragma=busy_timeout(" + busyTimeout + ")&_pragma=journal_mode(" + journal + ")"
	return dsn.String()
}
