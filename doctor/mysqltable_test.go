package doctor_test

import (
	"fmt"
	"strings"
	"testing"
)

const alter = "ALTER TABLE idempotency_records "

func mysqlChanges(t *testing.T) []change {
	remade := "DROP TABLE IF EXISTS idempotency_records; " + schema(t, "mysql")
	return []change{
		{"table.missing", "RENAME TABLE idempotency_records TO other", "RENAME TABLE other TO idempotency_records"},
		{"table.kind", "RENAME TABLE idempotency_records TO other; CREATE VIEW idempotency_records AS SELECT * FROM other", "DROP VIEW idempotency_records; RENAME TABLE other TO idempotency_records"},
		{"table.column_missing", alter + "DROP COLUMN requeued_at", alter + "ADD COLUMN requeued_at DATETIME(6)"},
		{"table.column_type", alter + "MODIFY claimed_at DATETIME NOT NULL", alter + "MODIFY claimed_at DATETIME(6) NOT NULL"},
		{"table.column_type", alter + "MODIFY message BLOB", alter + "MODIFY message LONGBLOB"},
		{"table.column_nullable", alter + "MODIFY vanished INTEGER DEFAULT 0", alter + "MODIFY vanished INTEGER NOT NULL DEFAULT 0"},
		{"table.column_default", alter + "ALTER acts SET DEFAULT 0", alter + "ALTER acts SET DEFAULT 1"},
		{"table.extra_column", alter + "ADD COLUMN tenant VARCHAR(10) NOT NULL", alter + "MODIFY tenant VARCHAR(10)"},
		{"table.check_missing", alter + "MODIFY lease_ms BIGINT NOT NULL", alter + "MODIFY lease_ms BIGINT NOT NULL CHECK (lease_ms >= 0)"},
		{"table.trigger", "CREATE TRIGGER log_it BEFORE INSERT ON idempotency_records FOR EACH ROW SET NEW.acts = 0", "DROP TRIGGER log_it"},
		{"table.partitioned", alter + "PARTITION BY KEY (operation_key) PARTITIONS 2", alter + "REMOVE PARTITIONING"},
		{"table.engine", alter + "ENGINE = MyISAM", alter + "ENGINE = InnoDB"},
		{
			"records.held_unattended",
			`INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, held_at, hold_reason)
			 VALUES ('j', 'k', 'held', MD5('x'), UTC_TIMESTAMP(6), 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL 8 DAY, 'max_acts')`,
			"DELETE FROM idempotency_records",
		},
		{"key.missing", alter + "DROP PRIMARY KEY", alter + "ADD PRIMARY KEY (job_type, operation_key)"},
		{"key.wider", alter + "DROP PRIMARY KEY, ADD COLUMN tenant INT, ADD UNIQUE KEY u (job_type, operation_key, tenant)", alter + "DROP KEY u, ADD PRIMARY KEY (job_type, operation_key)"},
		{"key.expression", alter + "DROP PRIMARY KEY, ADD UNIQUE KEY u (job_type, operation_key(20))", alter + "DROP KEY u, ADD PRIMARY KEY (job_type, operation_key)"},
		{"key.second", alter + "ADD UNIQUE KEY u (reference)", alter + "DROP KEY u"},
		{"key.second", alter + "ADD UNIQUE KEY u (operation_key, job_type)", alter + "DROP KEY u"}, // the guard takes one key only
		{"key.nullable", alter + "DROP PRIMARY KEY, MODIFY operation_key VARBINARY(256) CHECK (LENGTH(operation_key) BETWEEN 1 AND 255), ADD UNIQUE KEY u (job_type, operation_key)", remade},
		{"key.type", alter + "MODIFY operation_key VARBINARY(100) NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255)", alter + "MODIFY operation_key VARBINARY(300) NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255)"},
		{
			"key.collation", alter + "MODIFY operation_key VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255)",
			alter + "MODIFY operation_key VARBINARY(256) NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255)",
		},
		{
			"key.collation", alter + "MODIFY operation_key VARCHAR(256) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255)",
			alter + "MODIFY operation_key VARBINARY(256) NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255)",
		},
	}
}

func TestMySQLTable(t *testing.T) {
	s, err := durableMariaDB()
	started(t, s, err)
	for i, c := range mysqlChanges(t) {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			m := newMySQL(t, s)
			comesAndGoes(t, c.id, m.examine, func() { m.exec(c.do) }, func() { m.exec(c.undo) })
		})
	}
}

func TestMySQLAccount(t *testing.T) {
	s, err := durableMariaDB()
	started(t, s, err)
	m := newMySQL(t, s)
	m.exec("CREATE USER worker_DATABASE_NAME; GRANT SELECT, INSERT, UPDATE, TRIGGER ON DATABASE_NAME.* TO worker_DATABASE_NAME; GRANT PROCESS, REPLICA MONITOR ON *.* TO worker_DATABASE_NAME")
	t.Cleanup(func() { m.exec("DROP USER worker_DATABASE_NAME") })
	as := *m
	as.dsn = strings.Replace(m.dsn, "root@", "worker_"+m.name+"@", 1)
	comesAndGoes(t, "table.privileges", as.examine,
		func() { m.exec("REVOKE UPDATE ON DATABASE_NAME.* FROM worker_DATABASE_NAME") },
		func() { m.exec("GRANT UPDATE ON DATABASE_NAME.* TO worker_DATABASE_NAME") })

	m.exec("REVOKE TRIGGER ON DATABASE_NAME.* FROM worker_DATABASE_NAME; REVOKE PROCESS, REPLICA MONITOR ON *.* FROM worker_DATABASE_NAME")
	r := as.examine()
	var gaps []string
	for _, g := range r.Gaps {
		gaps = append(gaps, g.ID)
	}
	if got := strings.Join(gaps, " "); len(r.Findings) > 0 || got != "table.trigger mysql.replica mysql.async_replica" || !r.Untold() {
		t.Errorf("an account that may not see them: %q, %+v", got, r.Findings)
	}
}
