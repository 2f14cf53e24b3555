package guardpgx

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/job"
)

// modes are all that pgx has.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

func onEachMode(t *testing.T, test func(t *testing.T, mode pgx.QueryExecMode)) {
	t.Helper()
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) { test(t, mode) })
	}
}

// rig is a guard with a table of its own, over a pool with a tap on each of its
// connections, and connections of the test's own.
type rig struct {
	t       testing.TB
	pool    *pgxpool.Pool
	tap     *tap
	guard   *Guard
	job     job.Job
	plain   *pgxpool.Pool
	records string
	effects string
}

var (
	tables   atomic.Int64
	sharedDB struct {
		sync.Mutex
		dsn string
	}
)

// sharedDSN is of a database that ends with its server, not with a test.
func sharedDSN(t testing.TB) string {
	t.Helper()
	sharedDB.Lock()
	defer sharedDB.Unlock()
	if sharedDB.dsn == "" {
		sharedDB.dsn = testdb.Postgres(kept{t})
	}
	return sharedDB.dsn
}

type kept struct{ testing.TB }

func (kept) Cleanup(func()) {}

func newRig(t testing.TB, mode pgx.QueryExecMode, connections int32) *rig {
	t.Helper()
	return newRigFor(t, mode, connections, ownRow())
}

func newRigFor(t testing.TB, mode pgx.QueryExecMode, connections int32, j job.Job) *rig {
	t.Helper()
	return newRigAt(t, sharedDSN(t), sharedDSN(t), mode, connections, j)
}

// newRigAt has the guard's pool reach the database in another way than the test's own.
func newRigAt(t testing.TB, dsn, guardDSN string, mode pgx.QueryExecMode, connections int32, j job.Job) *rig {
	t.Helper()
	n := tables.Add(1)
	// The claim's advisory lock is of the whole database, whatever the table.
	j.Type = fmt.Sprintf("%s_%d", j.Type, n)
	r := &rig{t: t, tap: &tap{}, records: fmt.Sprintf("records_%d", n), effects: fmt.Sprintf("effects_%d", n)}
	r.plain = r.open(dsn, pgx.QueryExecModeExec, 4, &tap{})
	r.pool = r.open(guardDSN, mode, connections, r.tap)
	statements, err := dialect.Load("postgres", r.records)
	if err != nil {
		t.Fatal(err)
	}
	r.exec(r.plain, statements.Schema)
	r.exec(r.plain, "CREATE TABLE "+r.effects+" (id bigserial PRIMARY KEY, what text NOT NULL)")
	r.guard, r.job = r.guardOn(r.pool, j), j
	t.Cleanup(r.close)
	return r
}

func (r *rig) open(dsn string, mode pgx.QueryExecMode, connections int32, tap *tap) *pgxpool.Pool {
	r.t.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		r.t.Fatal(err)
	}
	config.MaxConns = connections
	config.ConnConfig.DefaultQueryExecMode = mode
	config.ConnConfig.DialFunc = tap.dial
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		r.t.Fatal(err)
	}
	return pool
}

func (r *rig) guardOn(pool *pgxpool.Pool, j job.Job) *Guard {
	r.t.Helper()
	g, err := New(pool, j, twiceproof.Options{Table: r.records, Worker: "w", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

// close also looks for what the guard may have left: a connection that it did not
// give back, or gave back inside a transaction.
func (r *rig) close() {
	if err := r.guard.Close(); err != nil {
		r.t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	all := make([]*pgxpool.Conn, r.pool.Config().MaxConns) // at once, so none is missing
	for i := range all {
		c, err := r.pool.Acquire(ctx)
		if err != nil {
			r.t.Fatalf("a connection was not given back: %v", err)
		}
		all[i] = c
		if status := c.Conn().PgConn().TxStatus(); status != idle {
			r.t.Errorf("a connection was given back in state %q", status)
		}
		if c.Conn().PgConn().IsBusy() {
			r.t.Error("a connection was given back busy")
		}
	}
	for _, c := range all {
		c.Release()
	}
	r.pool.Close()
	r.plain.Close()
}

func (r *rig) exec(pool *pgxpool.Pool, sql string, args ...any) {
	r.t.Helper()
	if _, err := pool.Exec(context.Background(), sql, args...); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
}

func (r *rig) count(sql string, args ...any) (n int) {
	r.t.Helper()
	if err := r.plain.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// check compares the effects of a key and the state of its record, "" for none.
func (r *rig) check(key string, effects int, state string) {
	r.t.Helper()
	if n := r.count("SELECT count(*) FROM "+r.effects+" WHERE what = $1", key); n != effects {
		r.t.Errorf("%s: %d effects, want %d", key, n, effects)
	}
	var got string
	row := r.plain.QueryRow(context.Background(), "SELECT coalesce(max(state), '') FROM "+r.records+" WHERE operation_key = $1", key)
	if err := row.Scan(&got); err != nil || got != state {
		r.t.Errorf("%s: record %q, %v, want %q", key, got, err, state)
	}
}

func (r *rig) insert() string { return "INSERT INTO " + r.effects + " (what) VALUES ($1::text)" }

// write is the body of a job as it should be.
func (r *rig) write(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
	_, err := tx.Exec(ctx, r.insert(), op.Key)
	return err
}

func (r *rig) deliver(key string, act ActTx) (twiceproof.Result, error) {
	return r.guard.RunTx(context.Background(), delivery(key), act)
}

// run delivers and wants an outcome without an error. As a queue would, it delivers
// again what is live: when a connection was closed in the middle of a transaction,
// its server lets go of the key a moment later.
func (r *rig) run(key string, act ActTx, want twiceproof.Outcome) twiceproof.Result {
	r.t.Helper()
	res, err := r.deliver(key, act)
	for n := 0; n < 1000 && err == nil && res.Outcome == twiceproof.Live && want != twiceproof.Live; n++ {
		time.Sleep(5 * time.Millisecond)
		res, err = r.deliver(key, act)
	}
	if err != nil || res.Outcome != want {
		r.t.Fatalf("%s: %+v, %v, want %s", key, res, err, want)
	}
	return res
}

func ownRow() job.Job {
	return job.Job{
		Type: "book_order", Queue: job.SQS, Message: "orders",
		Operation: job.Operation{
			Key:         []job.Path{job.MustParsePath("body.order")},
			Repeat:      "the order is booked twice",
			Fingerprint: []job.Path{job.MustParsePath("body.amount")},
		},
		Effect:     job.Effect{Kind: job.OwnRow, What: "a row"},
		LongestRun: 10 * time.Second,
		Lease:      time.Minute,
	}
}

func delivery(key string) twiceproof.Delivery { return deliveryOf(key, "12") }

func deliveryOf(key, amount string) twiceproof.Delivery {
	return twiceproof.Delivery{
		Fields: job.Fields{"body": map[string]any{"order": key, "amount": json.Number(amount)}},
		Body:   []byte("book " + key),
	}
}
