package doctor_test

import (
	"fmt"
	"strings"
	"testing"
)

const (
	droppedKey = "ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey"
	addedKey   = "ALTER TABLE idempotency_records ADD PRIMARY KEY (job_type, operation_key)"
	column     = "ALTER TABLE idempotency_records ALTER COLUMN "
)

func remade(t *testing.T) string {
	return "DROP TABLE IF EXISTS idempotency_records CASCADE; " + schema(t, "postgres")
}

// postgresChanges are what a table of PostgreSQL can suffer.
func postgresChanges(t *testing.T) []change {
	text := schema(t, "postgres")
	return []change{
		{"table.missing", "ALTER TABLE idempotency_records RENAME TO other", "ALTER TABLE other RENAME TO idempotency_records"},
		{
			"table.kind", "ALTER TABLE idempotency_records RENAME TO other; CREATE VIEW idempotency_records AS SELECT * FROM other",
			"DROP VIEW idempotency_records; ALTER TABLE other RENAME TO idempotency_records",
		},
		{"table.column_missing", "ALTER TABLE idempotency_records DROP COLUMN requeued_at", "ALTER TABLE idempotency_records ADD COLUMN requeued_at timestamptz"},
		{"table.column_type", column + "claimed_at TYPE timestamp", column + "claimed_at TYPE timestamptz"},
		{"table.column_nullable", column + "lease_ms DROP NOT NULL", column + "lease_ms SET NOT NULL"},
		{"table.column_default", column + "acts SET DEFAULT 0", column + "acts SET DEFAULT 1"},
		{"table.column_default", column + "repeats DROP DEFAULT", column + "repeats SET DEFAULT 0"},
		{"table.extra_column", "ALTER TABLE idempotency_records ADD COLUMN tenant text NOT NULL", "ALTER TABLE idempotency_records DROP COLUMN tenant"},
		{
			"table.check_missing", "ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_state_check",
			"ALTER TABLE idempotency_records ADD CONSTRAINT idempotency_records_state_check CHECK (state IN ('claimed', 'completed', 'held'))",
		},
		{
			"table.trigger",
			"CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER skip BEFORE INSERT ON idempotency_records FOR EACH ROW EXECUTE FUNCTION skip()",
			"ALTER TABLE idempotency_records DISABLE TRIGGER skip",
		},
		{"table.trigger", "CREATE RULE nothing AS ON INSERT TO idempotency_records DO ALSO NOTHING", "DROP RULE nothing ON idempotency_records"},
		{"table.inherited", "CREATE TABLE child () INHERITS (idempotency_records)", "DROP TABLE child"},
		{"table.partitioned", "DROP TABLE idempotency_records; " + strings.Replace(text, "WITH (fillfactor = 80)", "PARTITION BY HASH (operation_key)", 1), remade(t)},
		{"table.unlogged", "ALTER TABLE idempotency_records SET UNLOGGED", "ALTER TABLE idempotency_records SET LOGGED"},
		{"table.extra_index", "CREATE INDEX slow ON idempotency_records (state, claimed_at)", "DROP INDEX slow"},
		{
			"records.held_unattended",
			`INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, held_at, hold_reason)
			 VALUES ('j', 'k', 'held', gen_random_uuid(), now(), 1, now(), now() - interval '8 days', 'max_acts')`,
			"UPDATE idempotency_records SET held_at = now() - interval '6 days'",
		},
		{"key.missing", droppedKey, addedKey},
		{"key.wider", droppedKey + "; ALTER TABLE idempotency_records ADD COLUMN tenant text; CREATE UNIQUE INDEX u ON idempotency_records (job_type, operation_key, tenant)", addedKey},
		{"key.partial", droppedKey + "; CREATE UNIQUE INDEX u ON idempotency_records (operation_key, job_type) WHERE state <> 'held'", addedKey},
		{"key.expression", droppedKey + "; CREATE UNIQUE INDEX u ON idempotency_records (job_type, lower(operation_key))", "DROP INDEX u; " + addedKey},
		{"key.deferrable", droppedKey + "; ALTER TABLE idempotency_records ADD UNIQUE (job_type, operation_key) DEFERRABLE", addedKey},
		{"key.invalid", "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'idempotency_records_pkey'::regclass", "UPDATE pg_index SET indisvalid = true"},
		{"key.second", "CREATE UNIQUE INDEX u ON idempotency_records (reference)", "DROP INDEX u"},
		{
			"key.nullable", droppedKey + "; CREATE UNIQUE INDEX u ON idempotency_records (operation_key, job_type);" + column + "operation_key DROP NOT NULL",
			column + "operation_key SET NOT NULL",
		},
		{"key.type", column + "operation_key TYPE character(255) COLLATE \"C\"", column + "operation_key TYPE text COLLATE \"C\""},
		{
			"key.collation", "CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false); " + column + "operation_key TYPE text COLLATE alike",
			column + "operation_key TYPE text COLLATE \"C\"",
		},
		{
			"key.collation",
			"CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false); " + droppedKey + "; CREATE UNIQUE INDEX u ON idempotency_records (job_type, operation_key COLLATE alike)",
			"DROP INDEX u; " + addedKey,
		},
		{"key.locale", column + "operation_key TYPE text COLLATE \"und-x-icu\"", column + "operation_key TYPE text COLLATE \"C\""},
		{"key.locale", column + "job_type TYPE text COLLATE \"de-x-icu\"", column + "job_type TYPE text COLLATE \"default\""}, // the database's own is C
	}
}

func TestPostgresTable(t *testing.T) {
	s, err := durable()
	started(t, s, err)
	for i, c := range postgresChanges(t) {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			t.Parallel()
			p := newPostgres(t, s)
			comesAndGoes(t, c.id, p.examine, func() { p.exec(c.do) }, func() { p.exec(c.undo) })
		})
	}
}

// What a framework or a person adds without harm is no finding.
func TestPostgresTableAsGood(t *testing.T) {
	s, err := durable()
	started(t, s, err)
	for _, statement := range []string{
		"ALTER TABLE idempotency_records ADD COLUMN id bigserial NOT NULL UNIQUE",
		"ALTER TABLE idempotency_records ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY UNIQUE",
		"ALTER TABLE idempotency_records ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE",
		droppedKey + "; ALTER TABLE idempotency_records ADD UNIQUE (operation_key, job_type)",
		"CREATE UNIQUE INDEX u ON idempotency_records (job_type, operation_key, acts)",
		"CREATE UNIQUE INDEX u ON idempotency_records (job_type, operation_key) WHERE state = 'held'",
		"CREATE INDEX i ON idempotency_records (claimed_at)",
		"ALTER TABLE idempotency_records ADD COLUMN note text; ALTER TABLE idempotency_records ADD COLUMN made timestamptz NOT NULL DEFAULT now()",
		column + "repeats TYPE numeric(20) USING repeats; " + column + "repeats TYPE bigint",
		column + "acts TYPE bigint",
		column + "reference TYPE text COLLATE \"und-x-icu\"", // only the key's collation decides
		"CREATE TABLE other (k text); CREATE TRIGGER t AFTER INSERT ON other EXECUTE FUNCTION suppress_redundant_updates_trigger()",
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			p := newPostgres(t, s)
			p.exec(statement)
			if got := found(p.examine()); len(got) > 0 {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestPostgresAccount(t *testing.T) {
	s, err := durable()
	started(t, s, err)
	for id, c := range map[string]change{
		"table.privileges":   {do: "REVOKE UPDATE ON idempotency_records FROM worker_DATABASE_NAME", undo: "GRANT UPDATE ON idempotency_records TO worker_DATABASE_NAME"},
		"table.row_security": {do: "ALTER TABLE idempotency_records ENABLE ROW LEVEL SECURITY", undo: "ALTER TABLE idempotency_records DISABLE ROW LEVEL SECURITY"},
	} {
		t.Run(id, func(t *testing.T) {
			p := newPostgres(t, s)
			p.exec("CREATE ROLE worker_DATABASE_NAME LOGIN; GRANT SELECT, INSERT, UPDATE ON idempotency_records TO worker_DATABASE_NAME")
			t.Cleanup(func() { p.exec("DROP OWNED BY worker_DATABASE_NAME; DROP ROLE worker_DATABASE_NAME") })
			p.role = "worker_" + p.name // asked about by another account
			comesAndGoes(t, id, p.examine, func() { p.exec(c.do) }, func() { p.exec(c.undo) })
			p.role = ""
			as := *p
			as.dsn = strings.Replace(p.dsn, "postgres@", "worker_"+p.name+"@", 1)
			comesAndGoes(t, id, as.examine, func() { p.exec(c.do) }, func() { p.exec(c.undo) })
		})
	}
}
