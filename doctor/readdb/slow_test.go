package readdb

import (
	"database/sql"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// A count that takes too long costs nothing but itself, although the client closes the
// connection then. The control has the usual time.
func TestSlowCountOnMySQL(t *testing.T) {
	s, err := dialect.Load("mysql", "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("mysql", testdb.MySQL(t, s.Schema))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at)
SELECT 'j', seq, 'claimed', MD5('x'), UTC_TIMESTAMP(6), 1, UTC_TIMESTAMP(6) FROM seq_1_to_100000`); err != nil {
		t.Fatal(err)
	}
	usual := countLimit
	defer func() { countLimit = usual }()
	for _, slow := range []bool{false, true} {
		if slow {
			countLimit = time.Millisecond
		}
		_, table, err := MySQL(t.Context(), db, dialect.Table)
		if err != nil {
			t.Fatal(err)
		}
		if _, is := table.Missing["records.held_unattended"]; is != slow || len(table.Lacks) > 0 || len(table.Columns) == 0 {
			t.Errorf("slow %v: %+v", slow, table)
		}
	}
}
