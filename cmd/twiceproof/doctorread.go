package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readdb"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
)

// lookedAt is a source that was read, with its version.
type lookedAt struct {
	Source string `json:"source"`
	Is     string `json:"is"`
}

// examined is one thing that can be looked at. read gives what it is.
type examined struct {
	name  string
	words string // for people
	asked bool
	other string // how to ask, where it was not
	needs bool   // worth saying that it was not asked for
	read  func(ctx context.Context) (string, error)
}

func (f doctorFlags) read(ctx context.Context, facts *doctor.Facts, table string) (looked []lookedAt, gaps []doctor.Gap, err error) {
	for _, s := range f.sources(facts, table) {
		switch {
		case s.asked:
			is, err := f.slowly(ctx, s)
			if err != nil {
				return nil, nil, err
			}
			looked = append(looked, lookedAt{s.name, is})
			if s.name == "sidekiq" && f.sidekiq == "" {
				gaps = append(gaps, doctor.Gap{ID: s.name, Reason: "nobody asked for the application, only for its file of settings; --sidekiq names it"})
			}
		case s.needs:
			gaps = append(gaps, doctor.Gap{ID: s.name, Reason: "nobody asked for it; " + s.other})
		}
	}
	return looked, gaps, nil
}

// slowly reads a source, and says so when that takes longer than two seconds.
func (f doctorFlags) slowly(ctx context.Context, s examined) (string, error) {
	said := make(chan struct{})
	timer := time.AfterFunc(2*time.Second, func() {
		fmt.Fprintf(f.std.err, "still reading %s\n", s.words)
		close(said)
	})
	is, err := s.read(ctx)
	if !timer.Stop() {
		<-said
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return is, err
}

func (f doctorFlags) sources(facts *doctor.Facts, table string) []examined {
	dsn, broker := f.addresses()
	queueURL := orVariable(f.queueURL, "QUEUE_URL")
	uses := func(q job.Queue) bool {
		for _, j := range facts.Jobs {
			if j.Queue == q {
				return true
			}
		}
		return false
	}
	brokers := uses(job.Celery) || uses(job.Sidekiq) || uses(job.RQ)
	return []examined{
		{"database", "the database", dsn != "", "--dsn or DATABASE_URL names it", true, func(ctx context.Context) (string, error) { return f.database(ctx, facts, dsn, table) }},
		{"queue", "the queue", queueURL != "", "--queue-url or QUEUE_URL names it", uses(job.SQS), func(ctx context.Context) (string, error) { return readSQS(ctx, facts, queueURL) }},
		{"queue", "the broker", broker != "", "--broker or BROKER_URL names it", brokers, func(ctx context.Context) (string, error) { return f.readBroker(ctx, facts, broker) }},
		{"celery", "the Celery application", f.celery != "", "--celery names it", uses(job.Celery), func(ctx context.Context) (string, error) { return f.readCelery(ctx, facts) }},
		{"rq", "RQ's settings", false, "nothing here reads RQ's settings", uses(job.RQ), nil},
		{"sidekiq", "the Sidekiq application", f.sidekiq != "" || f.sidekiqConfig != "", "--sidekiq and --sidekiq-config name it", uses(job.Sidekiq), func(ctx context.Context) (string, error) { return f.readSidekiq(ctx, facts) }},
	}
}

func (f doctorFlags) database(ctx context.Context, facts *doctor.Facts, dsn, table string) (string, error) {
	db, d, err := openDSN(dsn)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if _, err := dialect.Load(string(d), table); err != nil { // no plain name
		return "", noTable(err)
	}
	unread := func(err error) error {
		return &hinted.Error{What: "the database cannot be read: " + err.Error(), Hint: unlessRefused(err, "check --dsn, and that its account may connect")}
	}
	return ask(ctx, "the database", dsn, unread, func(ctx context.Context) (string, error) {
		return readDatabase(ctx, facts, db, d, dsn, table, f.role)
	})
}

func readDatabase(ctx context.Context, facts *doctor.Facts, db *sql.DB, d twiceproof.Dialect, dsn, table, role string) (is string, err error) {
	switch d {
	case twiceproof.Postgres:
		_, address := addressOf(dsn)
		if facts.Postgres, facts.Table, err = readdb.Postgres(ctx, address, table, role); err == nil {
			is = "PostgreSQL " + facts.Postgres.Version
			if facts.Postgres.Pooled {
				is += ", behind a pool"
			}
		}
	case twiceproof.MySQL:
		if facts.MySQL, facts.Table, err = readdb.MySQL(ctx, db, table); err == nil {
			is = "MySQL " + facts.MySQL.Version
		}
	default:
		if facts.SQLite, facts.Table, err = readdb.SQLite(ctx, sqlitePath(dsn), dsn, table); err == nil {
			is = "SQLite " + facts.SQLite.Version
		}
	}
	return is, err
}
