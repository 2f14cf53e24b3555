package bench_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"
	_ "modernc.org/sqlite"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/lab/mariadb"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// The servers end with the process.
var (
	postgresServer = sync.OnceValues(func() (*postgres.Server, error) {
		return postgres.Start(context.Background(), "fsync=on", "full_page_writes=on")
	})
	mariadbServer = sync.OnceValues(func() (*mariadb.Server, error) {
		return mariadb.Start(context.Background(), "innodb-flush-log-at-trx-commit=1", "innodb-doublewrite=ON", "skip-debug-no-sync")
	})
	names atomic.Int64
)

// database is one kind of database, with a fresh place for each benchmark.
type database struct {
	name    string
	dialect twiceproof.Dialect
	driver  string
	make    func(b *testing.B, name string) (dsn string)
}

var databases = []database{
	{"postgres", twiceproof.Postgres, "pgx", func(b *testing.B, name string) string {
		s, err := postgresServer()
		if err != nil {
			b.Fatal(err)
		}
		if err := s.CreateDatabase(context.Background(), name, ""); err != nil {
			b.Fatal(err)
		}
		return s.DSN(name)
	}},
	{"mariadb", twiceproof.MySQL, "mysql", func(b *testing.B, name string) string {
		s, err := mariadbServer()
		if err != nil {
			b.Fatal(err)
		}
		if err := s.CreateDatabase(context.Background(), name); err != nil {
			b.Fatal(err)
		}
		return s.DSN(name) + "&interpolateParams=true"
	}},
	{"sqlite", twiceproof.SQLite, "sqlite", func(b *testing.B, name string) string {
		return "file:" + filepath.Join(b.TempDir(), name) + "?_pragma=journal_mode(wal)&_pragma=busy_timeout(10000)"
	}},
}

// place is a database with the record's table and a job's own.
type place struct {
	database
	dsn string
	db  *sql.DB
}

const leaseOfJobs = time.Minute

func eachDatabase(b *testing.B, bench func(b *testing.B, p place)) {
	b.Helper()
	for _, d := range databases {
		b.Run("db="+d.name, func(b *testing.B) { bench(b, newPlace(b, d)) })
	}
}

func newPlace(b *testing.B, d database) place {
	b.Helper()
	p := place{database: d, dsn: d.make(b, fmt.Sprintf("bench_%d", names.Add(1)))}
	p.db = p.open(b, p.dsn)
	texts, err := dialect.Load(string(d.dialect), "")
	if err != nil {
		b.Fatal(err)
	}
	p.exec(b, texts.Schema)
	p.exec(b, "CREATE TABLE bookings (k varchar(64) NOT NULL)")
	p.exec(b, "CREATE TABLE bare (k varchar(64) PRIMARY KEY, v integer NOT NULL)")
	return p
}

// open keeps as many connections as the benchmarks have workers.
func (p place) open(b *testing.B, dsn string) *sql.DB {
	b.Helper()
	db, err := sql.Open(p.driver, dsn)
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxIdleConns(32)
	b.Cleanup(func() { _ = db.Close() })
	return db
}

func (p place) exec(b *testing.B, statement string, args ...any) {
	b.Helper()
	if _, err := p.db.ExecContext(context.Background(), statement, args...); err != nil {
		b.Fatalf("%s: %v", statement, err)
	}
}

// mark is the n-th placeholder, as the database writes it.
func (p place) mark(n int) string {
	if p.dialect == twiceproof.Postgres {
		return fmt.Sprintf("$%d", n)
	}
	return "?"
}
