package testdb_test

import (
	"database/sql"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

func openSQLite(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func scan[T any](t *testing.T, db *sql.DB, query string) T {
	t.Helper()
	var value T
	if err := db.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func TestSQLite(t *testing.T) {
	for journal, dsn := range map[string]func(testing.TB, ...string) string{
		"wal":    testdb.SQLite,
		"delete": testdb.SQLiteRollback,
	} {
		t.Run(journal+"?#%", func(t *testing.T) { // a name that an unescaped DSN would trip over
			db := openSQLite(t, dsn(t, effects))
			if got := scan[string](t, db, "PRAGMA journal_mode"); got != journal {
				t.Errorf("journal mode %s, want %s", got, journal)
			}
			if got := scan[int](t, db, "PRAGMA busy_timeout"); got != 5000 {
				t.Errorf("busy timeout %d, want 5000", got)
			}
			if got := scan[int](t, db, "SELECT count(*) FROM effects"); got != 1 {
				t.Errorf("%d rows, want the schema's 1", got)
			}
		})
	}
}

// Writers that meet wait for each other instead of failing.
func TestSQLiteWritersWait(t *testing.T) {
	for journal, dsn := range map[string]string{
		"wal":    testdb.SQLite(t, effects),
		"delete": testdb.SQLiteRollback(t, effects),
	} {
		t.Run(journal, func(t *testing.T) {
			db := openSQLite(t, dsn)
			var writers sync.WaitGroup
			for range 8 {
				writers.Go(func() {
					if _, err := db.ExecContext(t.Context(), "INSERT INTO effects VALUES ('another')"); err != nil {
						t.Error(err)
					}
				})
			}
			writers.Wait()
			if got := scan[int](t, db, "SELECT count(*) FROM effects"); got != 9 {
				t.Errorf("%d rows, want 9", got)
			}
		})
	}
}
