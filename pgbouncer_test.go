package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/lib/pq" // registers the driver "postgres"

	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/lab/pgbouncer"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// pooled gives a rig on a server of the test's own, and by way of PgBouncer.
func pooled(t *testing.T, mode string) (r *rig, dsn string) {
	t.Helper()
	s := ownServer(t, Postgres).(*postgres.Server)
	p := pgBouncer(t, s, mode, 2)
	return newRigAt(t, databaseOf(Postgres), s.DSN("postgres"), "records_"+newToken()[:8]), p.DSN("postgres")
}

func pgBouncer(t *testing.T, s *postgres.Server, mode string, size int) *pgbouncer.Server {
	t.Helper()
	p, err := pgbouncer.Start(context.Background(), s, mode, size)
	testdb.Started(t, err)
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

// workersAt are 20 workers by way of the pool, which has two connections for them.
func workersAt(t *testing.T, driver, dsn string) []*sql.DB {
	t.Helper()
	all := make([]*sql.DB, 20)
	for i := range all {
		db, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { _ = db.Close() })
		all[i] = db
	}
	return all
}

// crowd lets every worker deliver every key, by Run or by RunTx, and gives the errors.
func (r *rig) crowd(workers []*sql.DB, keys int, row bool) (failed []error) {
	r.t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, db := range workers {
		outside, own := r.guardOn(db, holdJob()), r.guardOn(db, ownRowJob())
		all.Go(func() {
			for n := range keys {
				key := fmt.Sprintf("%v %d", row, (n+i)%keys)
				var err error
				if row {
					_, err = own.RunTx(context.Background(), delivery(key), r.book)
				} else {
					_, err = outside.Run(context.Background(), delivery(key), r.till.charge)
				}
				if err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return failed
}

// effectsOf counts by key: the least, the most, and those without a record.
func (r *rig) effectsOf(keys int, row bool) (least, most, unrecorded int) {
	r.t.Helper()
	least = 1 << 30
	for n := range keys {
		key := fmt.Sprintf("%v %d", row, n)
		count := r.till.count(key)
		if row {
			count = r.booked(key)
		}
		least, most = min(least, count), max(most, count)
		if count > 0 && !r.exists(key) {
			unrecorded++
		}
	}
	return least, most, unrecorded
}

const simpleMode, execMode = "&default_query_exec_mode=simple_protocol", "&default_query_exec_mode=exec"

// In transaction mode each statement outside of a transaction may meet another server
// connection. What works: one round trip that prepares nothing for later.
func TestPgBouncerTransactionMode(t *testing.T) {
	r, dsn := pooled(t, "transaction")
	for _, c := range []struct{ name, driver, more string }{
		{"pgx, exec", "pgx", execMode},
		{"pgx, simple protocol", "pgx", simpleMode},
		{"pgx, cache describe", "pgx", "&default_query_exec_mode=cache_describe"},
		{"lib/pq, binary parameters", "postgres", "&binary_parameters=yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := newRigAt(t, r.d, r.dsn, "records_"+newToken()[:8])
			workers, keys := workersAt(t, c.driver, dsn+c.more), full(5, 50)
			for _, row := range []bool{false, true} {
				failed := one.crowd(workers, keys, row)
				if least, most, bad := one.effectsOf(keys, row); len(failed) != 0 || least != 1 || most != 1 || bad != 0 {
					t.Errorf("own row %v: %d to %d effects, %d without a record, %d errors such as %v", row, least, most, bad, len(failed), errors.Join(failed...))
				}
			}
		})
	}
}

// Ways that prepare in one round trip and execute in the next meet a server connection
// that does not know the statement, or has it already. That is an error, and the message
// stays. (The two that give it no name can meet another one, see below; 08P01 is one with
// other parameters.)
func TestPgBouncerTransactionModeErrors(t *testing.T) {
	r, dsn := pooled(t, "transaction")
	for _, c := range []struct{ name, driver, more, must, may string }{
		{"pgx, cache statement", "pgx", "", "42P05", "26000"},
		{"pgx, describe exec", "pgx", "&default_query_exec_mode=describe_exec", "26000", "08P01"},
		{"lib/pq", "postgres", "", "26000", "08P01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := newRigAt(t, r.d, r.dsn, "records_"+newToken()[:8])
			workers, keys := workersAt(t, c.driver, dsn+c.more), full(5, 50)
			codes := map[string]int{}
			for round := 0; round < 20 && codes[c.must] == 0; round++ {
				for _, row := range []bool{false, true} {
					for _, err := range one.crowd(workers, keys, row) {
						codes[stateOf(err)]++
					}
					if _, most, bad := one.effectsOf(keys, row); most > 1 || bad != 0 {
						t.Errorf("own row %v: %d effects, %d without a record", row, most, bad)
					}
				}
				t.Logf("errors in %d deliveries: %v", 2*keys*len(workers), codes)
			}
			seen := codes[c.must]
			delete(codes, c.must)
			delete(codes, c.may)
			if seen == 0 || len(codes) != 0 {
				t.Errorf("%d errors with %s, and with others %v", seen, c.must, codes)
			}
			one.crowd(workersAt(t, "pgx", dsn+execMode), keys, true) // and what was not done is done later
			if least, most, _ := one.effectsOf(keys, true); least != 1 || most != 1 {
				t.Errorf("in the end %d to %d effects", least, most)
			}
		})
	}
}

// stateOf is the server's code, or the whole text of an error that is not the server's.
func stateOf(err error) string {
	var refused interface{ SQLState() string }
	if errors.As(err, &refused) {
		return refused.SQLState()
	}
	return fmt.Sprint(err)
}

// In statement mode there are no transactions: RunTx is refused at its BEGIN, and Run,
// which needs none, works.
func TestPgBouncerStatementMode(t *testing.T) {
	r, dsn := pooled(t, "statement")
	workers := workersAt(t, "pgx", dsn+execMode)
	res, err := r.guardOn(workers[0], ownRowJob()).RunTx(context.Background(), delivery("row"), r.book)
	if err == nil || res.Acknowledge() || !strings.Contains(err.Error(), "transaction") {
		t.Errorf("%+v, %v", res, err)
	}
	r.wantBooked("row", 0, 0)
	failed := r.crowd(workers, 5, false)
	if least, most, bad := r.effectsOf(5, false); len(failed) != 0 || least != 1 || most != 1 || bad != 0 {
		t.Errorf("%d to %d effects, %d without a record, %v", least, most, bad, failed)
	}
}

// Why a driver must not prepare without a name in one round trip and execute in the
// next: what is executed then is whatever another worker prepared on that server
// connection meanwhile. Here an act_again becomes a renew: acts does not count on, and
// the claim ends at once.
func TestPgBouncerUnnamedStatementOfAnother(t *testing.T) {
	ctx := context.Background()
	s := ownServer(t, Postgres).(*postgres.Server)
	p := pgBouncer(t, s, "transaction", 1)
	r := newRigAt(t, databaseOf(Postgres), s.DSN("postgres"), "records_"+newToken()[:8])
	g := r.guard(lookupJob())
	a := r.vanish(g, "k", false)
	connect := func() *pgconn.PgConn {
		conn, err := pgconn.Connect(ctx, p.DSN("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(ctx) })
		return conn
	}
	one, other := connect(), connect()
	_, err := one.Prepare(ctx, "", g.records.sql.ActAgain, nil)
	if _, otherErr := other.Prepare(ctx, "", g.records.sql.Renew, nil); err != nil || otherErr != nil {
		t.Fatal(err, otherErr)
	}
	args := [][]byte{[]byte(g.job.Type), []byte("k"), []byte(a.token), []byte("1")}
	result := one.ExecPrepared(ctx, "", args, nil, nil).Read()
	if result.Err != nil || result.CommandTag.RowsAffected() != 1 {
		t.Fatalf("%v, %v", result.CommandTag, result.Err)
	}
	if acts, lease := r.column("k", "acts"), r.column("k", "lease_ms"); acts != "1" || lease == "70000" {
		t.Errorf("acts %s, lease %s: another's statement was not executed", acts, lease)
	}
}
