package dialect_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

// onEachMode opens the table on a server that is strict, and on one that changes what
// does not fit.
func onEachMode(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	for name, mode := range map[string]string{"strict": "'STRICT_TRANS_TABLES'", "lenient": "''"} {
		t.Run(name, func(t *testing.T) {
			config, err := mysql.ParseDSN(testdb.MySQL(t, schemaOf(t, "mysql")))
			if err != nil {
				t.Fatal(err)
			}
			if config.Params == nil {
				config.Params = map[string]string{}
			}
			config.Params["sql_mode"] = mode
			test(t, config.FormatDSN())
		})
	}
}

const mysqlNow = "UTC_TIMESTAMP(6)"

// goodInMySQL are rows that may exist.
func goodInMySQL() map[string]values {
	held, done, sum := endsInMySQL()
	return map[string]values{
		"claimed": {}, "held": held, "completed": done, "completed after a hold": held.with(done), "fingerprint": sum,
		"longest key": {"operation_key": repeated("x", 255)}, "longest type": {"job_type": repeated("x", 64)}, "lease over": {"lease_ms": "0"},
		"other case": {"operation_key": "'K'"}, "other space": {"operation_key": "'k '"}, "other type": {"job_type": "'Charge'"},
		"other accent": {"operation_key": "'ḱ'"}, "number": {"operation_key": "42"}, "bytes that are no text": {"operation_key": "x'ff'"},
		"backfilled": done.with(values{"completion": "'backfilled'"}), "long lease": {"lease_ms": "9223372036854775807"},
	}
}

// badInMySQL are rows that must not, in any mode.
func badInMySQL() map[string]values {
	held, done, sum := endsInMySQL()
	bad := map[string]values{
		"empty key": {"operation_key": "''"}, "empty type": {"job_type": "''"},
		"over-long key": {"operation_key": repeated("x", 256)}, "far too long a key": {"operation_key": repeated("x", 70000)},
		"over-long key in bytes": {"operation_key": repeated("é", 128)}, "over-long type": {"job_type": repeated("x", 65)},
		"unknown state": {"state": "'done'"}, "state in capitals": {"state": "'Claimed'"},
		"empty state": {"state": "''"}, "state as a number": {"state": "0"},
		"short token": {"claim_token": "'00'"}, "token of spaces": {"claim_token": repeated(" ", 32)}, "token with a space": {"claim_token": "'" + strings.Repeat("0", 31) + " '"},
		"negative lease": {"lease_ms": "-1"}, "negative acts": {"acts": "-1"}, "given_up is neither": {"given_up": "2"},
		"unknown completion": done.with(values{"completion": "'guessed'"}), "completion in capitals": done.with(values{"completion": "'Acted'"}),
		"completed without a time":       done.with(values{"completed_at": "NULL"}),
		"completed without a completion": done.with(values{"completion": "NULL"}),
		"claimed with a completion":      {"completed_at": mysqlNow, "completion": "'acted'"},
		"held with a completion":         held.with(values{"completed_at": mysqlNow, "completion": "'acted'"}),
		"held without a time":            held.with(values{"held_at": "NULL"}),
		"held without a reason":          held.with(values{"hold_reason": "NULL"}),
		"short fingerprint":              sum.with(values{"fingerprint": "REPEAT('x', 31)"}),
		"long fingerprint":               sum.with(values{"fingerprint": "REPEAT('x', 33)"}),
		"over-long fingerprint":          sum.with(values{"fingerprint": "REPEAT('x', 70)"}),
		"fingerprint without its fields": sum.with(values{"fingerprint_fields": "NULL"}),
		"fields without a fingerprint":   sum.with(values{"fingerprint": "NULL"}),
	}
	for _, column := range []string{"operation_key", "job_type", "state", "claim_token", "claimed_at", "first_claimed_at", "lease_ms", "acts", "given_up", "vanished", "lookups", "requeues", "repeats"} {
		bad["null "+column] = values{column: "NULL"}
	}
	return bad
}

func endsInMySQL() (held, done, sum values) {
	return values{"state": "'held'", "held_at": mysqlNow, "hold_reason": "'worker_vanished'"},
		values{"state": "'completed'", "completed_at": mysqlNow, "completion": "'acted'"},
		values{"fingerprint": "REPEAT('x', 32)", "fingerprint_fields": "'body.amount'"}
}

func repeated(text string, n int) string { return fmt.Sprintf("REPEAT('%s', %d)", text, n) }

// What must not exist is refused, whoever writes it and however lenient the server is;
// what may exist is not.
func TestMySQLSchema(t *testing.T) {
	onEachMode(t, func(t *testing.T, dsn string) {
		db := open(t, "mysql", dsn)
		for name, row := range goodInMySQL() {
			key := values{"operation_key": "'" + name + "'"}
			if err := insert(db, claimed(mysqlNow).with(key).with(row)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, row := range badInMySQL() {
			if err := insert(db, claimed(mysqlNow).with(values{"operation_key": "'bad'"}).with(row)); err == nil {
				t.Errorf("%s was taken", name)
			}
		}
	})
}

// The control: a table without its CHECKs takes on a lenient server what the other
// refuses, and changes it into something else.
func TestMySQLSchemaControl(t *testing.T) {
	onEachMode(t, func(t *testing.T, dsn string) {
		db := open(t, "mysql", dsn+"&check_constraint_checks=0")
		var taken []string
		for name, row := range badInMySQL() {
			if err := insert(db, claimed(mysqlNow).with(values{"operation_key": "'" + name + "'"}).with(row)); err == nil {
				taken = append(taken, name)
			}
		}
		if len(taken) < 20 {
			t.Errorf("only %q were taken without the CHECKs", taken)
		}
	})
}

// A second row of one operation is refused, also by a change of the first one's key;
// the same key of another job type is another operation.
func TestMySQLSchemaUnique(t *testing.T) {
	onEachMode(t, func(t *testing.T, dsn string) {
		db := open(t, "mysql", dsn)
		good := claimed(mysqlNow)
		for name, row := range map[string]values{"first": {}, "another type": {"job_type": "'refund'"}, "another key": {"operation_key": "'l'"}} {
			if err := insert(db, good.with(row)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		again := maps.Clone(good)
		again["claim_token"] = "'" + strings.Repeat("1", 32) + "'"
		if err := insert(db, again); err == nil {
			t.Error("a second row of one operation was taken")
		}
		for _, change := range []string{"operation_key = 'k' WHERE operation_key = 'l'", "job_type = 'charge' WHERE job_type = 'refund'", "operation_key = NULL"} {
			if _, err := db.ExecContext(t.Context(), "UPDATE idempotency_records SET "+change); err == nil {
				t.Errorf("%s was taken", change)
			}
		}
	})
}
