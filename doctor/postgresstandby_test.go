package doctor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/pgbouncer"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// A standby is a connection that has asked for the log; this one takes none of it.
func TestPostgresStandbys(t *testing.T) {
	s, err := postgres.Start(ctxFor(t), "fsync=on", "full_page_writes=on")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	p := newPostgres(t, s)
	var standby *pgconn.PgConn
	comesAndGoes(t, "postgres.async_standby", p.examine, func() {
		config, err := pgconn.ParseConfig(p.dsn)
		if err != nil {
			t.Fatal(err)
		}
		config.RuntimeParams["replication"] = "true"
		if standby, err = pgconn.ConnectConfig(ctxFor(t), config); err != nil {
			t.Fatal(err)
		}
	}, func() {
		_ = standby.Close(context.Background())
		p.exec("DO 'BEGIN WHILE EXISTS (SELECT FROM pg_stat_replication) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END'")
	})
}

// Whoever may not see the state of the standbys cannot say that they are synchronous.
func TestPostgresStandbysUnseen(t *testing.T) {
	s, err := postgres.Start(ctxFor(t), "fsync=on", "full_page_writes=on")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	p := newPostgres(t, s)
	p.exec("CREATE ROLE limited LOGIN; GRANT SELECT, INSERT, UPDATE ON idempotency_records TO limited")
	config, err := pgconn.ParseConfig(p.dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["replication"] = "true"
	standby, err := pgconn.ConnectConfig(ctxFor(t), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = standby.Close(context.Background()) }()
	p.dsn = strings.Replace(p.dsn, "postgres@", "limited@", 1)
	r := p.examine()
	if len(r.Findings) > 0 || len(r.Gaps) != 1 || r.Gaps[0].ID != "postgres.async_standby" || !r.Untold() {
		t.Errorf("%+v", r)
	}
}

// Who reads changes out of the log is no standby.
func TestPostgresReaderOfChanges(t *testing.T) {
	s, err := postgres.Start(ctxFor(t), "fsync=on", "full_page_writes=on", "wal_level=logical")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	p := newPostgres(t, s)
	config, err := pgconn.ParseConfig(p.dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["replication"] = "database"
	reader, err := pgconn.ConnectConfig(ctxFor(t), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close(context.Background()) }()
	if got := found(p.examine()); len(got) != 1 {
		t.Errorf("a sender without a slot may be a standby's: %q", got)
	}
	if _, err := reader.Exec(ctxFor(t), "CREATE_REPLICATION_SLOT changes TEMPORARY LOGICAL pgoutput").ReadAll(); err != nil {
		t.Fatal(err)
	}
	if got := found(p.examine()); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// A server that finds standby.signal is one, even without a primary.
func TestPostgresIsStandby(t *testing.T) {
	s, err := postgres.Start(ctxFor(t), "fsync=on", "full_page_writes=on")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	p := newPostgres(t, s)
	conn, err := pgx.Connect(ctxFor(t), p.dsn)
	if err != nil {
		t.Fatal(err)
	}
	var folder string
	if err := conn.QueryRow(ctxFor(t), "SHOW data_directory").Scan(&folder); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(context.Background())
	signal := filepath.Join(folder, "standby.signal")
	restart := func(err error) {
		if err == nil {
			err = s.Restart(ctxFor(t))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	comesAndGoes(t, "postgres.standby", p.examine,
		func() { restart(os.WriteFile(signal, nil, 0o644)) }, func() { restart(os.Remove(signal)) })
}

func TestPgBouncer(t *testing.T) {
	s, err := durable()
	started(t, s, err)
	for _, c := range []struct {
		mode, id string
		jobs     []job.Job
	}{
		{"session", "", nil},
		{"transaction", "pgbouncer.transaction_mode", nil},
		{"statement", "pgbouncer.statement_mode", ownRow(t, job.Celery)},
		{"statement", "", theJob(t, job.Celery)}, // Run needs no transaction
	} {
		t.Run(c.mode+c.id, func(t *testing.T) {
			pool, err := pgbouncer.Start(ctxFor(t), s, c.mode, 5)
			started(t, pool, err)
			t.Cleanup(func() { _ = pool.Stop() })
			p := newPostgres(t, s)
			p.jobs = c.jobs
			direct, pooled := p.dsn, pool.DSN(p.name)
			if c.id == "" {
				p.dsn = pooled
				if got := found(p.examine()); len(got) > 0 {
					t.Errorf("%q", got)
				}
				return
			}
			comesAndGoes(t, c.id, p.examine, func() { p.dsn = pooled }, func() { p.dsn = direct })
		})
	}
}
