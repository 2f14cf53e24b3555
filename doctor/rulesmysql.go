package doctor

import (
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

func (e *exam) mysql(m MySQL, jobs []job.Job) {
	const subject = "MySQL"
	e.missing(m.Missing)
	is := func(name string, values ...string) bool {
		for _, v := range values {
			if got, there := m.Variables[name]; there && strings.EqualFold(got, v) {
				return true
			}
		}
		return false
	}
	if is("innodb_flush_log_at_trx_commit", "0", "2") {
		e.add("mysql.flush_log", subject, "innodb_flush_log_at_trx_commit = %s", m.Variables["innodb_flush_log_at_trx_commit"])
	}
	if is("log_bin", "ON", "1") && !is("sync_binlog", "1") {
		e.add("mysql.sync_binlog", subject, "sync_binlog = %s", m.Variables["sync_binlog"])
	}
	if is("innodb_doublewrite", "OFF", "0", "DETECT_ONLY") {
		e.add("mysql.doublewrite", subject, "innodb_doublewrite = %s", m.Variables["innodb_doublewrite"])
	}
	if is("autocommit", "OFF", "0") {
		e.add("mysql.autocommit", subject, "autocommit = OFF")
	}
	if is("tx_isolation", "READ-UNCOMMITTED") || is("transaction_isolation", "READ-UNCOMMITTED") {
		e.add("mysql.isolation", subject, "the level is READ-UNCOMMITTED")
	}
	for _, name := range []string{"read_only", "super_read_only", "innodb_read_only", "tx_read_only", "transaction_read_only"} {
		if is(name, "ON", "1") {
			e.add("mysql.read_only", subject, "%s = ON", name)
			break
		}
	}
	if m.Replica {
		e.add("mysql.replica", subject, "it replicates from another server")
	}
	if m.Replicas > 0 && !is("rpl_semi_sync_master_enabled", "ON", "1") && !is("rpl_semi_sync_source_enabled", "ON", "1") {
		e.add("mysql.async_replica", subject, "%d replicas, or others that read the binary log, are connected, and a commit waits for none", m.Replicas)
	}
	if !strings.Contains(strings.ToUpper(m.Variables["sql_mode"]), "STRICT_") {
		e.add("mysql.not_strict", subject, "sql_mode has no STRICT_TRANS_TABLES")
	}
	e.mysqlTimes(m, jobs)
}

func (e *exam) mysqlTimes(m MySQL, jobs []job.Job) {
	number := func(name string) float64 {
		n, _ := strconv.ParseFloat(m.Variables[name], 64)
		return n
	}
	limit := time.Duration(number("max_statement_time") * float64(time.Second)) // MariaDB; MySQL's is for SELECT only
	if limit > 0 && limit < time.Second {
		e.add("mysql.statement_time", "MySQL", "max_statement_time = %s", limit)
	}
	for _, name := range []string{"wait_timeout", "idle_transaction_timeout", "idle_write_transaction_timeout"} { // the latter are MariaDB's; 0: never
		wait := time.Duration(number(name)) * time.Second
		for _, j := range jobs {
			if wait > 0 && j.Effect.Kind == job.OwnRow && wait <= j.LongestRun {
				e.add("mysql.wait_timeout", "MySQL", "%s is %s, and %s runs for up to %s", name, jobfile.FormatDuration(wait), j.Type, jobfile.FormatDuration(j.LongestRun))
			}
		}
	}
}
