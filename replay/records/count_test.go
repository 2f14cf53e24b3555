package records

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

const someRows = "CREATE TABLE t (o text); INSERT INTO t VALUES ('a'), ('a'), ('b')"

func TestCountOnlyCounts(t *testing.T) {
	for kind, dsn := range map[string]string{"postgres": testdb.Postgres(t, ""), "mysql": testdb.MySQL(t), "sqlite": filepath.Join(t.TempDir(), "a.db")} {
		t.Run(kind, func(t *testing.T) {
			db, err := Open(kind, dsn, "idempotency_records")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := db.Apply(t.Context(), someRows); err != nil {
				t.Fatal(err)
			}
			for _, wrong := range []string{"DELETE FROM t WHERE o = $1 RETURNING 1", "INSERT INTO t VALUES ($1) RETURNING 1"} {
				if n, err := db.Count(t.Context(), wrong, "a"); err == nil || !strings.Contains(err.Error(), "count effects") {
					t.Errorf("%s: %d, %v", wrong, n, err)
				}
			}
			for range 3 { // it is a count each time, and leaves nothing behind
				if n, err := db.Count(t.Context(), "SELECT count(*) FROM t WHERE o = $1", "a"); err != nil || n != 2 {
					t.Errorf("got %d, %v", n, err)
				}
			}
			if n, err := db.Count(t.Context(), "SELECT count(*) FROM t WHERE o = $1 OR o = $1", "a"); err != nil || n != 2 {
				t.Errorf("named twice: %d, %v", n, err)
			}
			if n, err := db.Count(t.Context(), "SELECT count(*) FROM t WHERE o = ?", "a"); kind != "postgres" && (err != nil || n != 2) {
				t.Errorf("as ?: %d, %v", n, err)
			}
			if err := db.Apply(t.Context(), "INSERT INTO t VALUES ('a')"); err != nil {
				t.Errorf("the connection cannot write any more: %v", err)
			}
		})
	}
}
