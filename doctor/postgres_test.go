package doctor_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readdb"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// durable is a lab server that keeps what it has committed.
var durable = sync.OnceValues(func() (*postgres.Server, error) {
	return postgres.Start(context.Background(), "fsync=on", "full_page_writes=on")
})

var databases atomic.Int64

// postgresCase is a private database with the table.
type postgresCase struct {
	t         *testing.T
	name, dsn string
	role      string
	jobs      []job.Job
}

func newPostgres(t *testing.T, s *postgres.Server) *postgresCase {
	t.Helper()
	name := fmt.Sprintf("doctor_%d", databases.Add(1))
	if err := s.CreateDatabase(ctxFor(t), name, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.DropDatabase(context.Background(), name) })
	c := &postgresCase{t: t, name: name, dsn: s.DSN(name)}
	c.exec(schema(t, "postgres"))
	return c
}

func (c *postgresCase) exec(statements string) {
	c.t.Helper()
	conn, err := pgconn.Connect(ctxFor(c.t), c.dsn)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, one := range strings.Split(strings.ReplaceAll(statements, "DATABASE_NAME", c.name), ";;") {
		if _, err := conn.Exec(ctxFor(c.t), one).ReadAll(); err != nil {
			c.t.Fatalf("%s: %v", one, err)
		}
	}
}

func (c *postgresCase) examine() doctor.Report {
	c.t.Helper()
	p, table, err := readdb.Postgres(ctxFor(c.t), c.dsn, "idempotency_records", c.role)
	if err != nil {
		c.t.Fatal(err)
	}
	if p.Version == "" {
		c.t.Error("no version")
	}
	return doctor.Examine(doctor.Facts{Postgres: p, Table: table, Jobs: c.jobs})
}

func TestPostgresSettings(t *testing.T) {
	s, err := durable()
	started(t, s, err)
	for _, c := range []change{
		{"postgres.synchronous_commit", "synchronous_commit = off", "synchronous_commit"},
		{"postgres.read_only", "default_transaction_read_only = on", ""},
		{"postgres.statement_timeout", "statement_timeout = '900ms'", "statement_timeout"},
	} {
		t.Run(c.id, func(t *testing.T) {
			p := newPostgres(t, s)
			undo := "ALTER DATABASE DATABASE_NAME RESET " + c.undo
			if c.undo == "" {
				undo = "SET default_transaction_read_only = off;; ALTER DATABASE DATABASE_NAME RESET default_transaction_read_only"
			}
			comesAndGoes(t, c.id, p.examine, func() { p.exec("ALTER DATABASE DATABASE_NAME SET " + c.do) }, func() { p.exec(undo) })
		})
	}
}

// What the lab's server leaves out to be fast is found, each setting alone.
func TestPostgresServerSettings(t *testing.T) {
	good, err := durable()
	started(t, good, err)
	for id, settings := range map[string][]string{
		"postgres.fsync":            {"full_page_writes=on"},
		"postgres.full_page_writes": {"fsync=on"},
	} {
		t.Run(id, func(t *testing.T) {
			s, err := postgres.Start(ctxFor(t), settings...)
			started(t, s, err)
			t.Cleanup(func() { _ = s.Stop() })
			with, without := newPostgres(t, s), newPostgres(t, good)
			now := without
			comesAndGoes(t, id, func() doctor.Report { return now.examine() }, func() { now = with }, func() { now = without })
		})
	}
}

// Two keys that EUC_JP writes as one; in UTF8 they stay two.
func TestPostgresEncoding(t *testing.T) {
	s, err := durable()
	started(t, s, err)
	utf8 := newPostgres(t, s)
	name := utf8.name + "_euc"
	utf8.exec("CREATE DATABASE " + name + " ENCODING 'EUC_JP' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() { _ = s.DropDatabase(context.Background(), name) })
	euc := &postgresCase{t: t, name: name, dsn: s.DSN(name)}
	euc.exec(schema(t, "postgres"))
	now := utf8
	comesAndGoes(t, "postgres.encoding", func() doctor.Report { return now.examine() }, func() { now = euc }, func() { now = utf8 })

	for c, same := range map[*postgresCase]bool{utf8: false, euc: true} {
		inserted := "INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) " +
			"SELECT 'charge', k, 'claimed', gen_random_uuid(), now(), 1, now() FROM (VALUES (U&'\\00A6'), (U&'\\FFE4')) AS keys (k)"
		conn, err := pgconn.Connect(ctxFor(t), c.dsn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = conn.Exec(ctxFor(t), inserted).ReadAll(); (err != nil) != same {
			t.Errorf("%s: %v", c.name, err)
		}
		_ = conn.Close(context.Background())
	}
}

// With a synchronous standby that nobody is, a commit that waits would wait for ever.
func TestPostgresLocalCommit(t *testing.T) {
	s, err := postgres.Start(ctxFor(t), "fsync=on", "full_page_writes=on", "synchronous_commit=local", "synchronous_standby_names=nobody")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	p := newPostgres(t, s)
	p.exec("ALTER DATABASE DATABASE_NAME SET synchronous_commit = on")
	comesAndGoes(t, "postgres.local_commit", p.examine,
		func() {
			p.exec("SET synchronous_commit = local;; ALTER DATABASE DATABASE_NAME SET synchronous_commit = local")
		},
		func() { p.exec("ALTER DATABASE DATABASE_NAME SET synchronous_commit = on") })
}
