package dialect_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// values of a row, as SQL.
type values map[string]string

func (v values) with(changes values) values {
	all := maps.Clone(v)
	maps.Copy(all, changes)
	return all
}

func (v values) insert() string {
	names := slices.Sorted(maps.Keys(v))
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = v[name]
	}
	return fmt.Sprintf("INSERT INTO idempotency_records (%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(texts, ", "))
}

func onEach(t *testing.T, test func(t *testing.T, db *sql.DB, good values, now, bytes string)) {
	t.Helper()
	t.Run("postgres", func(t *testing.T) {
		db := open(t, "pgx", testdb.Postgres(t, schemaOf(t, "postgres")))
		test(t, db, claimed("now()"), "now()", "decode(repeat('00', %d), 'hex')")
	})
	t.Run("sqlite", func(t *testing.T) {
		db := open(t, "sqlite", testdb.SQLite(t, schemaOf(t, "sqlite")))
		test(t, db, claimed("1"), "1", "zeroblob(%d)")
	})
}

func claimed(now string) values {
	return values{
		"job_type": "'charge'", "operation_key": "'k'", "state": "'claimed'", "claim_token": "'" + strings.Repeat("0", 32) + "'",
		"claimed_at": now, "first_claimed_at": now, "lease_ms": "60000",
	}
}

func schemaOf(t *testing.T, name string) string {
	t.Helper()
	s, err := dialect.Load(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Schema
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// What must not exist is refused, whoever writes it; what may exist is not.
func TestSchema(t *testing.T) {
	onEach(t, func(t *testing.T, db *sql.DB, good values, now, bytes string) {
		held := values{"state": "'held'", "held_at": now, "hold_reason": "'worker_vanished'"}
		done := values{"state": "'completed'", "completed_at": now, "completion": "'acted'"}
		sum := values{"fingerprint": fmt.Sprintf(bytes, 32), "fingerprint_fields": "'body.amount'"}
		text := func(n int) string { return "'" + strings.Repeat("x", n) + "'" }
		for name, row := range map[string]values{
			"claimed": {}, "held": held, "completed": done, "completed after a hold": held.with(done), "fingerprint": sum,
			"longest key": {"operation_key": text(255)}, "longest type": {"job_type": text(64)}, "lease over": {"lease_ms": "0"},
			"other case": {"operation_key": "'K'"}, "other space": {"operation_key": "'k '"}, "other type": {"job_type": "'Charge'"},
			"backfilled": done.with(values{"completion": "'backfilled'"}), "long lease": {"lease_ms": "9223372036854775807"},
		} {
			key := values{"job_type": good["job_type"], "operation_key": "'" + name + "'"}
			if err := insert(db, good.with(key).with(row)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		bad := map[string]values{
			"null key": {"operation_key": "NULL"}, "null type": {"job_type": "NULL"}, "null state": {"state": "NULL"},
			"null token": {"claim_token": "NULL"}, "short token": {"claim_token": "'00'"}, "empty key": {"operation_key": "''"},
			"empty type": {"job_type": "''"}, "over-long key": {"operation_key": text(256)},
			"over-long key in bytes": {"operation_key": "'" + strings.Repeat("é", 128) + "'"},
			"over-long type":         {"job_type": text(65)}, "unknown state": {"state": "'done'"}, "state in capitals": {"state": "'Claimed'"},
			"completed without a time":       done.with(values{"completed_at": "NULL"}),
			"completed without a completion": done.with(values{"completion": "NULL"}),
			"unknown completion":             done.with(values{"completion": "'guessed'"}),
			"claimed with a completion":      {"completed_at": now, "completion": "'acted'"},
			"held with a completion":         held.with(values{"completed_at": now, "completion": "'acted'"}),
			"held without a time":            held.with(values{"held_at": "NULL"}),
			"held without a reason":          held.with(values{"hold_reason": "NULL"}),
			"short fingerprint":              sum.with(values{"fingerprint": fmt.Sprintf(bytes, 31)}),
			"fingerprint without its fields": sum.with(values{"fingerprint_fields": "NULL"}),
			"fields without a fingerprint":   sum.with(values{"fingerprint": "NULL"}),
			"negative lease":                 {"lease_ms": "-1"}, "negative acts": {"acts": "-1"}, "null acts": {"acts": "NULL"},
			"null lease": {"lease_ms": "NULL"}, "null claim time": {"claimed_at": "NULL"}, "null given_up": {"given_up": "NULL"},
		}
		if strings.Contains(bytes, "zeroblob") {
			maps.Copy(bad, map[string]values{
				"key as a blob": {"operation_key": "x'6b'"}, "type as a blob": {"job_type": "x'6b'"},
				"given_up is neither": {"given_up": "2"},
			})
		}
		for name, row := range bad {
			if err := insert(db, good.with(values{"operation_key": "'bad'"}).with(row)); err == nil {
				t.Errorf("%s was taken", name)
			}
		}
	})
}

// One row for each operation; an integer key is bound as its text.
func TestSchemaUnique(t *testing.T) {
	onEach(t, func(t *testing.T, db *sql.DB, good values, _, _ string) {
		if err := insert(db, good); err != nil {
			t.Fatal(err)
		}
		if err := insert(db, good); err == nil {
			t.Error("a second row of one operation was taken")
		}
		if err := insert(db, good.with(values{"job_type": "'refund'"})); err != nil {
			t.Errorf("another job type: %v", err)
		}
	})
}

func insert(db *sql.DB, v values) error {
	_, err := db.ExecContext(context.Background(), v.insert())
	return err
}
