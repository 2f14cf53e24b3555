package testdb_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

func openMySQL(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestMySQLIsPrivate(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			db := openMySQL(t, testdb.MySQL(t, effects, "CREATE TABLE another (id INT)"))
			if _, err := db.ExecContext(t.Context(), "INSERT INTO effects VALUES ('mine')"); err != nil {
				t.Fatal(err)
			}
			if got := scan[int](t, db, "SELECT count(*) FROM effects"); got != 2 {
				t.Errorf("%d rows, want 2: one of the schema, one of this test", got)
			}
			if got := scan[time.Time](t, db, "SELECT utc_timestamp()"); got.IsZero() {
				t.Errorf("time %v", got)
			}
			if _, err := db.ExecContext(t.Context(), effects); err == nil {
				t.Error("the DSN takes several statements at once")
			}
		})
	}
}

func TestMySQLIsDropped(t *testing.T) {
	admin := openMySQL(t, testdb.MySQL(t))
	const databases = "SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'test%'"
	before := scan[int](t, admin, databases)
	t.Run("with a transaction left open", func(t *testing.T) {
		db, err := sql.Open("mysql", testdb.MySQL(t, effects))
		if err != nil {
			t.Fatal(err)
		}
		left, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{"BEGIN", "INSERT INTO effects VALUES ('held')"} {
			if _, err := left.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if got := scan[int](t, admin, databases); got != before+1 {
			t.Errorf("%d databases, want %d", got, before+1)
		}
	})
	if got := scan[int](t, admin, databases); got != before {
		t.Errorf("%d databases after the test, want %d", got, before)
	}
}
