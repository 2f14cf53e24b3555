package records

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// The same record, read and made older on each database.
func TestReadAndAge(t *testing.T) {
	schema := func(name string) string {
		s, err := dialect.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		return s.Schema
	}
	for kind, c := range map[string]struct{ dsn, token, now string }{
		"postgres": {testdb.Postgres(t, schema("postgres")), "gen_random_uuid()", "now()"},
		"mysql":    {testdb.MySQL(t, schema("mysql")), "REPEAT('0', 32)", "UTC_TIMESTAMP(6)"},
	} {
		t.Run(kind, func(t *testing.T) {
			db, err := Open(kind, c.dsn, "idempotency_records")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, key := range []string{"k", "K", "k "} {
				insert := "INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) " +
					"VALUES ('charge', '" + key + "', 'claimed', " + c.token + ", " + c.now + ", 60000, " + c.now + ")"
				if err := db.Apply(t.Context(), insert); err != nil {
					t.Fatal(err)
				}
			}
			before := read(t, db, "k")
			if before.Rows != 1 || before.State != "claimed" || before.Lease != time.Minute || before.Acts != 1 || before.Late || before.GivenUp {
				t.Errorf("got %+v", before)
			}
			const long = 1000 * time.Hour
			if err := db.Age(t.Context(), "charge", "k", long); err != nil {
				t.Fatal(err)
			}
			if after := read(t, db, "k"); after.ClaimAge < before.ClaimAge+long || after.ClaimAge > before.ClaimAge+long+time.Hour {
				t.Errorf("%s became %s", before.ClaimAge, after.ClaimAge)
			}
			if other := read(t, db, "K"); other.ClaimAge > time.Hour {
				t.Errorf("another operation is %s old", other.ClaimAge)
			}
			if keys, err := db.Keys(t.Context(), "charge"); err != nil || len(keys) != 3 || keys[0] != "k" {
				t.Errorf("got %q, %v", keys, err)
			}
			if none := read(t, db, "l"); none.Rows != 0 {
				t.Errorf("got %+v", none)
			}
			if v := db.ServerVersion(t.Context()); v == "" || v == "unknown" {
				t.Errorf("version %q", v)
			}
		})
	}
}

// A record that is not committed does not exist: nobody waits for it.
func TestAgeWaitsForNobody(t *testing.T) {
	schema, err := dialect.Load("mysql", "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open("mysql", testdb.MySQL(t, schema.Schema), "idempotency_records")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	holder := connect(t, db)
	execOn(t, holder, "BEGIN")
	execOn(t, holder, "INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) "+
		"VALUES ('charge', 'k', 'claimed', REPEAT('0', 32), UTC_TIMESTAMP(6), 60000, UTC_TIMESTAMP(6))")
	if err := db.Age(t.Context(), "charge", "k", time.Hour); err != nil {
		t.Error(err)
	}
	execOn(t, holder, "COMMIT")
	if r := read(t, db, "k"); r.Rows != 1 || r.ClaimAge > 30*time.Minute {
		t.Errorf("got %+v", r)
	}
}

func read(t *testing.T, db *DB, key string) Record {
	t.Helper()
	r, err := db.Read(t.Context(), "charge", key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
