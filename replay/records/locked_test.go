package records

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// A statement that waits for another one's row is seen, as often as it is asked for
// and at once; one that waits for nobody is not.
func TestLocked(t *testing.T) {
	const schema = "CREATE TABLE t (id int PRIMARY KEY)"
	for kind, dsn := range map[string]string{"postgres": testdb.Postgres(t, schema), "mysql": testdb.MySQL(t, schema)} {
		t.Run(kind, func(t *testing.T) {
			const insert = "INSERT INTO t VALUES (1)"
			testLocked(t, kind, dsn, insert, insert)
		})
	}
}

// So is one that waits for a table, and for a lock by its name.
func TestLockedWithoutARow(t *testing.T) {
	dsn := testdb.MySQL(t, "CREATE TABLE t (id int PRIMARY KEY)")
	for name, c := range map[string]struct{ holds, waits string }{
		"table": {"SELECT * FROM t", "ALTER TABLE t ADD COLUMN a int"},
		"named": {"DO GET_LOCK('a', 0)", "DO GET_LOCK('a', 60)"},
	} {
		t.Run(name, func(t *testing.T) { testLocked(t, "mysql", dsn, c.holds, c.waits) })
	}
}

func testLocked(t *testing.T, kind, dsn, holds, waits string) {
	t.Helper()
	db, err := Open(kind, dsn, "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	holder, waiter := connect(t, db), connect(t, db)
	execOn(t, holder, "BEGIN")
	execOn(t, holder, holds)
	wantLocked(t, db, false)
	done := make(chan error, 1)
	go func() {
		_, err := waiter.ExecContext(t.Context(), waits)
		done <- err
	}()
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for locked := false; !locked; {
		if locked, err = db.Locked(limited); err != nil {
			t.Fatalf("the waiter is not seen: %v", err)
		}
	}
	execOn(t, holder, "ROLLBACK")
	if kind == "mysql" {
		execOn(t, holder, "DO RELEASE_ALL_LOCKS()")
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	wantLocked(t, db, false)
}

// Nobody waits without end for a table that another one has locked, and the error is one that
// passes.
func TestALockedTable(t *testing.T) {
	postgres, err := dialect.Load("postgres", "")
	if err != nil {
		t.Fatal(err)
	}
	mariadb, err := dialect.Load("mysql", "")
	if err != nil {
		t.Fatal(err)
	}
	for kind, c := range map[string]struct{ dsn, short, locks, asks, waits string }{
		"postgres": {testdb.Postgres(t, postgres.Schema), "lock_timeout=100", "BEGIN; LOCK TABLE idempotency_records", "SHOW lock_timeout", "10s"},
		"mysql":    {testdb.MySQL(t, mariadb.Schema), "lock_wait_timeout=1", "LOCK TABLES idempotency_records WRITE", "SELECT @@lock_wait_timeout", "10"},
	} {
		t.Run(kind, func(t *testing.T) {
			holder, err := Open(kind, c.dsn, "idempotency_records")
			if err != nil {
				t.Fatal(err)
			}
			defer holder.Close()
			var waits string
			if err := holder.db.QueryRowContext(t.Context(), c.asks).Scan(&waits); err != nil || waits != c.waits {
				t.Errorf("by itself it waits %q, %v", waits, err)
			}
			execOn(t, connect(t, holder), c.locks)
			between := map[bool]string{true: "&", false: "?"}[strings.Contains(c.dsn, "?")]
			db, err := Open(kind, c.dsn+between+c.short, "idempotency_records")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			limited, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err = db.Read(limited, "charge", "k")
			if passes, _ := dialect.Passes(err); !passes {
				t.Errorf("got %v", err)
			}
		})
	}
}

func wantLocked(t *testing.T, db *DB, want bool) {
	t.Helper()
	if locked, err := db.Locked(t.Context()); err != nil || locked != want {
		t.Errorf("got %t, %v, want %t", locked, err, want)
	}
}

func TestSQLiteIsNotAskedForLocks(t *testing.T) {
	db, err := Open("sqlite", filepath.Join(t.TempDir(), "a.db"), "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wantLocked(t, db, false)
}

func connect(t *testing.T, db *DB) *sql.Conn {
	t.Helper()
	conn, err := db.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func execOn(t *testing.T, conn *sql.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// SQLite's lock is the file's: while one holds it, another one is told so at once.
func TestIsWritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := Open("sqlite", path, "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := Open("sqlite", path, "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, journal := range []string{"DELETE", "WAL"} {
		if err := db.Apply(t.Context(), "PRAGMA journal_mode="+journal); err != nil {
			t.Fatal(err)
		}
		tx, err := other.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if db.IsWritable(t.Context()) {
			t.Errorf("%s: with the lock in another one's hand", journal)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if !db.IsWritable(t.Context()) {
			t.Errorf("%s: with nobody else", journal)
		}
	}
}
