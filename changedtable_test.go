package twiceproof

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/dialect"
)

const tableKey = "PRIMARY KEY (job_type, operation_key)"

// keyed gives a rig whose table has another key than the one that twiceproof schema
// prints; more are statements over the table's name. MySQL is not among them: there the
// guard asks for the key.
func keyed(t *testing.T, d Dialect, key string, more ...string) *rig {
	t.Helper()
	made := newRig(t, databaseOf(d))
	r := newRigOn(t, &rig{d: made.d, dsn: made.dsn, table: fmt.Sprintf("keyed_%d", tables.Add(1))})
	before := statements(d, r.table).Schema
	schema := strings.Replace(before, tableKey, key, 1)
	if !strings.Contains(key, "PRIMARY KEY (") {
		schema = strings.Replace(schema, "WITHOUT ROWID", "", 1) // SQLite's, which needs one
	}
	if schema == before && key != tableKey {
		t.Fatal("the schema has no such key")
	}
	r.exec(schema)
	r.exec("CREATE TABLE " + r.bookings() + " (k text NOT NULL)")
	for _, statement := range more {
		r.exec(fmt.Sprintf(statement, r.table))
	}
	return r
}

// wantLoud: an error by every way to a claim, and nothing was acted or acknowledged.
func (r *rig) wantLoud(name string) {
	r.t.Helper()
	for _, j := range everyPolicy() {
		if res, err := r.guard(j).Run(context.Background(), delivery("k"), r.till.charge); err == nil || res.Acknowledge() {
			r.t.Errorf("%s, Run, %s: %+v, %v", name, j.Stale.Policy, res, err)
		}
	}
	if res, err := r.guard(ownRowJob()).RunTx(context.Background(), delivery("k"), r.book); err == nil || res.Acknowledge() {
		r.t.Errorf("%s, RunTx: %+v, %v", name, res, err)
	}
	if told := r.runBatch(r.guard(holdJob()), r.till.charge, delivery("k"), delivery("l")).outcomes(); told != "error error" {
		r.t.Errorf("%s, RunBatch: %s", name, told)
	}
	if r.till.total() != 0 || r.rows() != 0 || r.booked("k") != 0 {
		r.t.Errorf("%s: %d effects, %d records, %d rows", name, r.till.total(), r.rows(), r.booked("k"))
	}
}

// A table whose key was changed by somebody enforces something else, or nothing: each
// delivery fails, and the message stays.
func TestTableWithAnotherKey(t *testing.T) {
	for _, d := range []Dialect{Postgres, SQLite} {
		for name, c := range map[string]struct {
			key  string
			more []string
		}{
			"none":                     {"CHECK (1 = 1)", nil},
			"of one column":            {"PRIMARY KEY (operation_key)", nil},
			"with a tenant":            {"tenant text NOT NULL DEFAULT '', PRIMARY KEY (tenant, job_type, operation_key)", nil},
			"unique with a tenant":     {"tenant text, UNIQUE (tenant, job_type, operation_key)", nil},
			"not unique":               {"CHECK (1 = 1)", []string{"CREATE INDEX %[1]s_i ON %[1]s (job_type, operation_key)"}},
			"unique for some":          {"CHECK (1 = 1)", []string{"CREATE UNIQUE INDEX %[1]s_i ON %[1]s (job_type, operation_key) WHERE state = 'claimed'"}},
			"unique in any case":       {"CHECK (1 = 1)", []string{"CREATE UNIQUE INDEX %[1]s_i ON %[1]s (job_type, lower(operation_key))"}},
			"checked at commit":        {"PRIMARY KEY (job_type, operation_key) DEFERRABLE INITIALLY DEFERRED", nil},
			"dropped":                  {tableKey, []string{"ALTER TABLE %[1]s DROP CONSTRAINT %[1]s_pkey"}},
			"dropped, and nulls taken": {tableKey, []string{"ALTER TABLE %[1]s DROP CONSTRAINT %[1]s_pkey", "ALTER TABLE %[1]s ALTER operation_key DROP NOT NULL"}},
		} {
			postgresOnly := name == "checked at commit" || strings.HasPrefix(name, "dropped")
			if d == SQLite && postgresOnly {
				continue // it has no such statement, or refuses it
			}
			t.Run(string(d)+" "+name, func(t *testing.T) { keyed(t, d, c.key, c.more...).wantLoud(name) })
		}
	}
}

// Another unique key beside it: what meets it is an error, never another operation's
// record, and only that operation fails.
func TestTableWithASecondKey(t *testing.T) {
	for _, d := range []Dialect{Postgres, SQLite} {
		t.Run(string(d), func(t *testing.T) {
			r := keyed(t, d, tableKey+", UNIQUE (operation_key)")
			r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
			other := holdJob()
			other.Type = "mail_order"
			if res, err := r.guard(other).Run(context.Background(), delivery("k"), r.till.charge); err == nil || res.Acknowledge() {
				t.Errorf("%+v, %v", res, err)
			}
			r.wantEffects("k", 1)
			r.wantOutcome(r.run(r.guard(other), "another"), Completed, true)
		})
	}
}

// Keys that do as well, and the control of the tests above: the same operations, told
// apart and each done once.
func TestTableWithAnEqualKey(t *testing.T) {
	for _, d := range []Dialect{Postgres, SQLite} {
		for name, key := range map[string]string{
			"as printed":                tableKey,
			"unique, in another order":  "UNIQUE (operation_key, job_type)",
			"a number as the first key": map[Dialect]string{Postgres: "id bigserial", SQLite: "id integer"}[d] + " PRIMARY KEY, UNIQUE (job_type, operation_key)",
		} {
			t.Run(string(d)+" "+name, func(t *testing.T) {
				r := keyed(t, d, key)
				r.wantEachKeyOnce(name)
			})
		}
	}
}

// A null in a key column, by raw SQL: refused, also where the table has a unique key
// instead of a primary one, which several nulls would pass; and the columns cannot be
// made to take one while the key is there.
func TestNullInTheKey(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.run(r.guard(holdJob()), "k")
		row := "INSERT INTO " + r.table + " (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) VALUES (%s, %s, 'claimed', '%032x', " + r.ago(0) + ", 1, " + r.ago(0) + ")"
		for i, pair := range [][2]string{{"NULL", "'a'"}, {"'a'", "NULL"}, {"NULL", "NULL"}} {
			if _, err := r.plain.ExecContext(context.Background(), fmt.Sprintf(row, pair[0], pair[1], i)); err == nil {
				t.Errorf("%q was taken", pair)
			}
		}
		r.exec(fmt.Sprintf(row, "'a'", "'a'", 9)) // the control: without a null it is taken
		for _, column := range []string{"job_type", "operation_key"} {
			if _, err := r.plain.ExecContext(context.Background(), "UPDATE "+r.table+" SET "+column+" = NULL"); err == nil {
				t.Errorf("%s became null", column)
			}
			if nullable(r, column) {
				t.Errorf("%s takes nulls", column)
			}
		}
		r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
		r.wantEffects("k", 1)
		if r.rows() != 2 {
			t.Errorf("%d records", r.rows())
		}
	})
}

// nullable tries to make the column so, and asks the live table.
func nullable(r *rig, column string) (is bool) {
	r.t.Helper()
	change, query := "ALTER COLUMN "+column+" DROP NOT NULL", "SELECT is_nullable = 'YES' FROM information_schema.columns WHERE table_name = '"+r.table+"' AND column_name = '"+column+"'"
	switch r.d.dialect {
	case MySQL:
		change = "MODIFY " + column + " VARBINARY(255) NULL"
	case SQLite:
		query = "SELECT NOT \"notnull\" FROM pragma_table_info('" + dialect.Table + "') WHERE name = '" + column + "'"
	}
	_, _ = r.plain.ExecContext(context.Background(), "ALTER TABLE "+r.table+" "+change) // whatever it answers
	if err := r.plain.QueryRowContext(context.Background(), query).Scan(&is); err != nil {
		r.t.Fatal(err)
	}
	return is
}

// A unique key over columns that take nulls, with such rows in it: the guard never sends
// one, and its operations are each done once.
func TestNullsBesideTheOperations(t *testing.T) {
	for _, d := range []Dialect{Postgres, SQLite} {
		t.Run(string(d), func(t *testing.T) {
			r := newRig(t, databaseOf(d))
			r.exec("DROP TABLE " + r.table)
			schema := strings.Replace(statements(d, r.table).Schema, tableKey, "UNIQUE (job_type, operation_key)", 1)
			for _, column := range []string{`COLLATE "C" NOT NULL CHECK (octet_length(`, "NOT NULL COLLATE BINARY CHECK (typeof("} {
				schema = strings.ReplaceAll(schema, column, strings.ReplaceAll(column, "NOT NULL", ""))
			}
			schema = strings.Replace(schema, "WITHOUT ROWID", "", 1)
			r.exec(strings.ReplaceAll(schema, "typeof(operation_key) = 'text' AND", ""))
			for range 3 { // several nulls pass a unique key
				r.exec("INSERT INTO " + r.table + " (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) VALUES ('charge_order', NULL, 'claimed', '" + newToken() + "', " + r.ago(0) + ", 1, " + r.ago(0) + ")")
			}
			for range 2 {
				r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
				r.wantOutcome(r.runTx(r.guard(ownRowJob()), "row"), Completed, true)
			}
			if _, err := r.guard(holdJob()).Run(context.Background(), deliveryOf("", "12"), r.till.charge); err == nil {
				t.Error("an empty key was taken")
			}
			r.wantEffects("k", 1)
			r.wantBooked("row", 1, 1)
			if r.rows() != 5 {
				t.Errorf("%d records", r.rows())
			}
		})
	}
}
