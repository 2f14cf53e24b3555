package replay

import "testing"

// A loose effects.statement is not the guard's own statement.
func TestMakesRow(t *testing.T) {
	const table = "idempotency_records"
	for _, c := range []struct {
		text, statement string
		want            bool
	}{
		{"INSERT INTO charges (order_id) VALUES ($1) #1", "insert into charges", true},
		{"INSERT INTO charges (order_id) VALUES ($1) #1", "INSERT", true},
		{"WITH setting AS (SELECT ?) INSERT INTO idempotency_records (job_type) VALUES ($1) #1", "INSERT", false},
		{"BEGIN; INSERT INTO idempotency_records (job_type) VALUES ($1)", "INSERT", false},
		{"INSERT INTO charges VALUES ($1); UPDATE idempotency_records SET state = ?; COMMIT", "INSERT", true},
		{"INSERT INTO idempotency_records_of_charges VALUES ($1)", "INSERT", true},
		{"SELECT ? / (CASE WHEN pg_current_xact_id_if_assigned()::text = $1::text THEN ? ELSE ? END) #1", "SELECT", false},
		{"BEGIN NOT ATOMIC SET SESSION wait_timeout = ?; SET STATEMENT innodb_lock_wait_timeout = ? FOR INSERT INTO idempotency_records (job_type) VALUES (?); SAVEPOINT twiceproof_own_row; SELECT LAST_INSERT_ID(); END", "INSERT", false},
		{"SELECT LAST_INSERT_ID()", "SELECT", false},
		{"BEGIN NOT ATOMIC RELEASE SAVEPOINT twiceproof_own_row; SET SESSION wait_timeout = ?; END", "SAVEPOINT", false},
		{"INSERT INTO charges VALUES (?)", "INSERT", true},
		{"UPDATE idempotency_records SET note = ?", "UPDATE idempotency_records", true}, // asked for by name
		{"SELECT ?", "INSERT", false},
		{`INSERT INTO "charges" ("order_id") VALUES ($1) #1`, "INSERT INTO charges", true},
		{"INSERT INTO `charges` VALUES (?)", "INSERT INTO charges", true},
		{"INSERT INTO charges VALUES ($1)", `INSERT INTO "charges"`, true},
	} {
		if got := makesRow(c.text, c.statement, table); got != c.want {
			t.Errorf("%q in %q: %t", c.statement, c.text, got)
		}
	}
}
