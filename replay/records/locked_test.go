package records

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

func TestLocked(t *testing.T) {
	dsn := testdb.Postgres(t, "CREATE TABLE t (id int PRIMARY KEY)")
	db, err := Open("postgres", dsn, "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	holder, waiter := connect(t, dsn), connect(t, dsn)
	tx, err := holder.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if locked, err := db.Locked(t.Context()); err != nil || locked {
		t.Errorf("nobody waits: %t, %v", locked, err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(t.Context(), "INSERT INTO t VALUES (1)")
		done <- err
	}()
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for locked := false; !locked; {
		if locked, err = db.Locked(limited); err != nil {
			t.Fatalf("the waiter is not seen: %v", err)
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if locked, err := db.Locked(t.Context()); err != nil || locked {
		t.Errorf("nobody waits any more: %t, %v", locked, err)
	}
}

func TestSQLiteIsNotAskedForLocks(t *testing.T) {
	db, err := Open("sqlite", filepath.Join(t.TempDir(), "a.db"), "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if locked, err := db.Locked(t.Context()); err != nil || locked {
		t.Errorf("got %t, %v", locked, err)
	}
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}
