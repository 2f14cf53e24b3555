package testdb_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

const effects = `CREATE TABLE effects (what TEXT NOT NULL); INSERT INTO effects VALUES ('from the schema');`

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func count(t *testing.T, conn *pgx.Conn, query string) int {
	t.Helper()
	var n int
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestPostgresIsPrivate(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			conn := connect(t, testdb.Postgres(t, effects))
			defer func() { _ = conn.Close(context.Background()) }()
			if _, err := conn.Exec(t.Context(), "INSERT INTO effects VALUES ('mine')"); err != nil {
				t.Fatal(err)
			}
			if got := count(t, conn, "SELECT count(*) FROM effects"); got != 2 {
				t.Errorf("%d rows, want 2: one of the schema, one of this test", got)
			}
		})
	}
}

func TestPostgresIsDropped(t *testing.T) {
	admin := connect(t, testdb.Postgres(t))
	defer func() { _ = admin.Close(context.Background()) }()
	const databases = "SELECT count(*) FROM pg_database WHERE datname LIKE 'test%'"
	before := count(t, admin, databases)
	t.Run("with a connection left open", func(t *testing.T) {
		left := connect(t, testdb.Postgres(t))
		if got := count(t, left, databases); got != before+1 {
			t.Errorf("%d databases, want %d", got, before+1)
		}
	})
	if got := count(t, admin, databases); got != before {
		t.Errorf("%d databases after the test, want %d", got, before)
	}
}
