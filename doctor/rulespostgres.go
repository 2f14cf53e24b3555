package doctor

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func (e *exam) postgres(p Postgres, jobs []job.Job) {
	const subject = "PostgreSQL"
	e.missing(p.Missing)
	set := func(name string) string { return p.Settings[name] }
	if set("fsync") == "off" {
		e.add("postgres.fsync", subject, "fsync = off")
	}
	if set("full_page_writes") == "off" {
		e.add("postgres.full_page_writes", subject, "full_page_writes = off")
	}
	switch commit := set("synchronous_commit"); {
	case commit == "off":
		e.add("postgres.synchronous_commit", subject, "synchronous_commit = off")
	case commit == "local" && p.Synchronous:
		e.add("postgres.local_commit", subject, "synchronous_commit = local, with synchronous_standby_names set")
	}
	if len(p.Standbys) > 0 && !p.Synchronous {
		e.add("postgres.async_standby", subject, "%d standbys are connected, none of them synchronous", len(p.Standbys))
	}
	if encoding := set("server_encoding"); encoding != "UTF8" && encoding != "SQL_ASCII" && encoding != "" { // SQL_ASCII keeps bytes
		e.add("postgres.encoding", subject, "server_encoding = %s", encoding)
	}
	if p.Standby {
		e.add("postgres.standby", subject, "pg_is_in_recovery() says so")
	}
	if set("default_transaction_read_only") == "on" {
		e.add("postgres.read_only", subject, "default_transaction_read_only = on")
	}
	if limit := milliseconds(set("statement_timeout")); limit > 0 && limit < time.Second {
		e.add("postgres.statement_timeout", subject, "statement_timeout = %s", limit)
	}
	e.pool(p, jobs)
}

func (e *exam) pool(p Postgres, jobs []job.Job) {
	const subject = "the pool before PostgreSQL"
	switch {
	case p.Pool == "transaction":
		e.add("pgbouncer.transaction_mode", subject, "a connection is another server process after each transaction")
	case p.Pool == "statement" && (len(jobs) == 0 || ownRows(jobs)):
		e.add("pgbouncer.statement_mode", subject, "it refuses BEGIN")
	}
}

func ownRows(jobs []job.Job) bool {
	return slices.ContainsFunc(jobs, func(j job.Job) bool { return j.Effect.Kind == job.OwnRow })
}

// milliseconds reads a setting that is a number of them; 0 where it is none.
func milliseconds(text string) time.Duration {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(text, "ms"), 64)
	return time.Duration(n * float64(time.Millisecond))
}
