package twiceproof

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/job"
)

const (
	lease  = time.Minute
	settle = 10 * time.Second
)

// database is one kind of database, made fresh for each test.
type database struct {
	name    string
	dialect Dialect
	driver  string
	dsn     func(t testing.TB, schema ...string) string
}

var databases = []database{
	{"postgres", Postgres, "pgx", testdb.Postgres},
	{"mysql", MySQL, "mysql", mysqlDSN},
	{"sqlite", SQLite, "sqlite", testdb.SQLite},
}

// mysqlDSN: parameters within the statement's text, as one would set it up, since a
// prepared statement each time is two round trips more; and a row that an UPDATE
// leaves as it was counts, for the tests' own statements.
func mysqlDSN(t testing.TB, schema ...string) string {
	t.Helper()
	return testdb.MySQL(t, schema...) + "&interpolateParams=true&clientFoundRows=true"
}

func databaseOf(d Dialect) database {
	return databases[slices.IndexFunc(databases, func(one database) bool { return one.dialect == d })]
}

func statements(d Dialect, table string) dialect.Statements {
	s, err := dialect.Load(string(d), table)
	if err != nil {
		panic(err)
	}
	return s
}

// rig is a database with the record's table, the outside service, and a guard's
// connections that can be made to fail.
type rig struct {
	t      testing.TB
	d      database
	dsn    string
	table  string
	db     *sql.DB // the guard's, through the faults
	faults *faults
	plain  *sql.DB // the test's own
	till   *till
	cases  int  // so far, for keys of their own
	apart  bool // each statement is sent by itself, as to MySQL 8
}

// newRig gives a test a table of its own, on a server within one database: to
// make and drop one for each test takes longer than all the tests.
func newRig(t testing.TB, d database) *rig {
	t.Helper()
	if d.dialect != SQLite {
		return newRigAt(t, d, sharedServer(t, d), fmt.Sprintf("records_%d", tables.Add(1)))
	}
	return newRigAt(t, d, d.dsn(t)+noSync, dialect.Table)
}

// noSync: these tests cut no power, and most of their time would be waiting for
// the disk.
const noSync = "&_pragma=synchronous(0)"

func newRigAt(t testing.TB, d database, dsn, table string) *rig {
	t.Helper()
	r := newRigOn(t, &rig{d: d, dsn: dsn, table: table})
	if _, err := r.plain.ExecContext(context.Background(), statements(d.dialect, table).Schema); err != nil {
		t.Fatal(err)
	}
	r.exec("CREATE TABLE " + r.bookings() + " (k text NOT NULL)")
	return r
}

// newRigOn opens the same table again.
func newRigOn(t testing.TB, made *rig) *rig {
	t.Helper()
	d, dsn := made.d, made.dsn
	r := &rig{t: t, d: d, dsn: dsn, table: made.table, faults: newFaults(statements(d.dialect, made.table)), till: &till{}}
	r.faults.closes = d.dialect == MySQL
	r.plain = r.open()
	r.db = sql.OpenDB(faultyConnector{driver: r.plain.Driver(), dsn: dsn, faults: r.faults})
	t.Cleanup(func() {
		r.faults.close()
		_ = r.db.Close()
	})
	return r
}

var (
	tables atomic.Int64
	shared struct {
		sync.Mutex
		dsn map[string]string
	}
)

// sharedServer is a database that ends with its server, not with a test.
func sharedServer(t testing.TB, d database) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.dsn == nil {
		shared.dsn = map[string]string{}
	}
	if shared.dsn[d.name] == "" {
		shared.dsn[d.name] = d.dsn(kept{t})
	}
	return shared.dsn[d.name]
}

type kept struct{ testing.TB }

func (kept) Cleanup(func()) {}

// open gives further connections, without faults.
func (r *rig) open() *sql.DB {
	r.t.Helper()
	db, err := sql.Open(r.d.driver, r.dsn)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = db.Close() })
	return db
}

// onEach runs a test on each database.
func onEach(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { test(t, newRig(t, d)) })
	}
}

func holdJob() job.Job {
	return job.Job{
		Type: "charge_order", Queue: job.SQS, Message: "charges",
		Operation: job.Operation{
			Key:         []job.Path{job.MustParsePath("body.order")},
			Repeat:      "the order is charged twice",
			Fingerprint: []job.Path{job.MustParsePath("body.amount")},
		},
		Effect:       job.Effect{Kind: job.Outside, What: "a charge"},
		LongestRun:   10 * time.Second,
		Lease:        lease,
		Stale:        job.Stale{Policy: job.Hold},
		StoreMessage: true,
	}
}

func lookupJob() job.Job {
	j := holdJob()
	j.Stale = job.Stale{Policy: job.Lookup, Settle: settle}
	return j
}

func (r *rig) guard(j job.Job) *Guard { return r.guardOn(r.db, j) }

func (r *rig) guardOn(db *sql.DB, j job.Job) *Guard {
	r.t.Helper()
	g, err := New(db, r.d.dialect, j, Options{LookUp: r.till.lookUp, Table: r.table, Worker: "w", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.t.Fatal(err)
	}
	if r.apart {
		if err := g.records.checkSession(context.Background()); err != nil {
			r.t.Fatal(err)
		}
		g.records.mysql.found.several = false
	}
	r.t.Cleanup(g.awaitCount) // its goroutine must not outlive the test's bubble
	return g
}

func delivery(key string) Delivery { return deliveryOf(key, "12") }

func deliveryOf(key, amount string) Delivery {
	return Delivery{
		Fields:  job.Fields{"body": map[string]any{"order": key, "amount": json.Number(amount)}},
		Body:    []byte("pay " + key),
		Message: []byte(`{"order":"` + key + `"}`),
	}
}

// run delivers and charges; it fails the test on an error.
func (r *rig) run(g *Guard, key string) Result {
	r.t.Helper()
	return r.runWith(g, key, r.till.charge)
}

func (r *rig) runWith(g *Guard, key string, act Act) Result {
	r.t.Helper()
	res, err := g.Run(context.Background(), delivery(key), act)
	if err != nil {
		r.t.Fatalf("run %s: %v", key, err)
	}
	return res
}

// vanish claims like a worker that dies before its effect, or right after it.
func (r *rig) vanish(g *Guard, key string, effect bool) attempt {
	r.t.Helper()
	c, err := g.prepare(delivery(key))
	if err != nil {
		r.t.Fatal(err)
	}
	sent := time.Now()
	a, err := g.claim(context.Background(), c, sent)
	if err != nil || a.next != nextAct {
		r.t.Fatalf("claim %s: %+v, %v", key, a, err)
	}
	at := g.attempt(context.Background(), c, a, delivery(key), sent)
	if effect {
		_ = r.till.charge(context.Background(), at.op)
	}
	return at
}
