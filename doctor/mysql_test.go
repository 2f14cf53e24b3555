package doctor_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readdb"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/mariadb"
)

var keepsAll = []string{"innodb-flush-log-at-trx-commit=1", "innodb-doublewrite=ON", "log-bin=binlog", "server-id=1", "sync-binlog=1"}

// durableMariaDB is a lab server that keeps what it has committed.
var durableMariaDB = sync.OnceValues(func() (*mariadb.Server, error) {
	return mariadb.Start(context.Background(), keepsAll...)
})

// mysqlCase is a private database with the table.
type mysqlCase struct {
	t         *testing.T
	name, dsn string
	jobs      []job.Job
}

func newMySQL(t *testing.T, s *mariadb.Server) *mysqlCase {
	t.Helper()
	name := fmt.Sprintf("doctor_%d", databases.Add(1))
	if err := s.CreateDatabase(ctxFor(t), name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.DropDatabase(context.Background(), name) })
	c := &mysqlCase{t: t, name: name, dsn: s.DSN(name)}
	c.exec(schema(t, "mysql"))
	return c
}

func (c *mysqlCase) open() *sql.DB {
	c.t.Helper()
	config, err := mysql.ParseDSN(c.dsn)
	if err != nil {
		c.t.Fatal(err)
	}
	config.MultiStatements, config.InterpolateParams = true, true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		c.t.Fatal(err)
	}
	return sql.OpenDB(connector)
}

func (c *mysqlCase) exec(statements string) {
	c.t.Helper()
	db := c.open()
	defer db.Close()
	if _, err := db.ExecContext(ctxFor(c.t), strings.ReplaceAll(statements, "DATABASE_NAME", c.name)); err != nil {
		c.t.Fatalf("%s: %v", statements, err)
	}
}

func (c *mysqlCase) examine() doctor.Report {
	c.t.Helper()
	db := c.open()
	defer db.Close()
	m, table, err := readdb.MySQL(ctxFor(c.t), db, "idempotency_records")
	if err != nil {
		c.t.Fatal(err)
	}
	return doctor.Examine(doctor.Facts{MySQL: m, Table: table, Jobs: c.jobs})
}

// Not beside each other: the settings are the server's.
func TestMySQLSettings(t *testing.T) {
	s, err := durableMariaDB()
	started(t, s, err)
	for i, c := range []struct {
		id, name, do, undo string
		jobs               []job.Job
	}{
		{"mysql.flush_log", "innodb_flush_log_at_trx_commit", "2", "1", nil},
		{"mysql.flush_log", "innodb_flush_log_at_trx_commit", "0", "1", nil},
		{"mysql.sync_binlog", "sync_binlog", "0", "1", nil},
		{"mysql.autocommit", "autocommit", "0", "1", nil},
		{"mysql.isolation", "tx_isolation", "'READ-UNCOMMITTED'", "'REPEATABLE-READ'", nil},
		{"mysql.read_only", "read_only", "1", "0", nil},
		{"mysql.read_only", "tx_read_only", "1", "0", nil},
		{"mysql.not_strict", "sql_mode", "'NO_ENGINE_SUBSTITUTION'", "'STRICT_TRANS_TABLES'", nil},
		{"mysql.wait_timeout", "wait_timeout", "30", "28800", ownRow(t, job.SQS)},
		{"mysql.wait_timeout", "idle_transaction_timeout", "40", "0", ownRow(t, job.SQS)},
		{"mysql.statement_time", "max_statement_time", "0.5", "0", nil},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			m := newMySQL(t, s)
			m.jobs = c.jobs
			set := func(value string) { m.exec("SET SESSION tx_read_only = 0; SET GLOBAL " + c.name + " = " + value) }
			t.Cleanup(func() { set(c.undo) })
			comesAndGoes(t, c.id, m.examine, func() { set(c.do) }, func() { set(c.undo) })
		})
	}
}

// An own row's transaction is open while the body runs; any other connection is idle.
func TestMySQLWaitsForOwnRowsOnly(t *testing.T) {
	s, err := durableMariaDB()
	started(t, s, err)
	m := newMySQL(t, s)
	m.exec("SET GLOBAL wait_timeout = 30")
	t.Cleanup(func() { m.exec("SET GLOBAL wait_timeout = 28800") })
	m.jobs = theJob(t, job.SQS)
	if got := found(m.examine()); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// What the lab's server leaves out to be fast cannot be changed while it runs.
func TestMySQLServerSettings(t *testing.T) {
	good, err := durableMariaDB()
	started(t, good, err)
	s, err := mariadb.Start(ctxFor(t), "innodb-flush-log-at-trx-commit=1")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	with, without := newMySQL(t, s), newMySQL(t, good)
	now := without
	comesAndGoes(t, "mysql.doublewrite", func() doctor.Report { return now.examine() }, func() { now = with }, func() { now = without })
}

func TestMySQLReplication(t *testing.T) {
	primary, err := mariadb.Start(ctxFor(t), keepsAll...)
	started(t, primary, err)
	t.Cleanup(func() { _ = primary.Stop() })
	replica, err := mariadb.Start(ctxFor(t), append(keepsAll, "server-id=2")...)
	started(t, replica, err)
	t.Cleanup(func() { _ = replica.Stop() })
	p, r := newMySQL(t, primary), newMySQL(t, replica)
	const dumps = "(SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%')"
	await := func(want int) {
		db := p.open()
		defer db.Close()
		for n := -1; n != want; {
			if err := db.QueryRowContext(ctxFor(t), "SELECT "+dumps+", SLEEP(0.02)").Scan(&n, new(int)); err != nil {
				t.Fatal(err)
			}
		}
	}
	replicate := func() {
		r.exec(fmt.Sprintf("CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'root', MASTER_USE_GTID = slave_pos; START SLAVE IO_THREAD", primary.Port()))
	}
	end := func() { // the primary notices only when it has something to send
		r.exec("STOP SLAVE; RESET SLAVE ALL")
		p.exec("BEGIN NOT ATOMIC FOR r IN (SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%') DO KILL r.id; END FOR; END")
		await(0)
	}
	comesAndGoes(t, "mysql.replica", r.examine, replicate, end)
	comesAndGoes(t, "mysql.async_replica", p.examine, func() { replicate(); await(1) }, end)
}
