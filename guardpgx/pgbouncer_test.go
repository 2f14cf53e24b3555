package guardpgx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/lab/pgbouncer"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// Behind a pool in transaction mode each transaction, and each round trip outside of
// one, may meet another server connection. The modes that doc.go names complete
// everything; the other two get errors, and what they did not do is done later. In no
// mode is there a second effect.
func TestPgBouncerTransactionMode(t *testing.T) {
	dsn, pooled := pooled(t)
	for mode, codes := range map[pgx.QueryExecMode][]string{
		pgx.QueryExecModeExec: nil, pgx.QueryExecModeSimpleProtocol: nil, pgx.QueryExecModeCacheDescribe: nil,
		pgx.QueryExecModeCacheStatement: {"26000", "42P05"}, // no such statement, or there already
		pgx.QueryExecModeDescribeExec:   {"26000", "08P01"}, // and another worker's has other parameters
	} {
		t.Run(mode.String(), func(t *testing.T) {
			const workers, keys = 10, 20
			r := newRigAt(t, dsn, pooled, mode, workers, ownRow())
			failed := r.crowd(workers, keys)
			t.Logf("failed, of %d deliveries: %v", workers*keys, failed)
			for code := range failed {
				if !slices.Contains(codes, code) {
					t.Errorf("failed with %s", code)
				}
			}
			if len(failed) == 0 && codes != nil {
				t.Error("nothing failed: the workers never met another connection")
			}
			r.wantOnceEach(keys, codes == nil)
			later := r.guardOn(r.plain, r.job)
			t.Cleanup(func() { _ = later.Close() })
			for n := range keys {
				res, err := later.RunTx(context.Background(), delivery(fmt.Sprint(n)), r.write)
				if err != nil || res.Outcome != twiceproof.Completed {
					t.Errorf("%d, later: %+v, %v", n, res, err)
				}
			}
			r.wantOnceEach(keys, true)
		})
	}
}

// wantOnceEach: as many effects as records, none of them twice, and nothing missing
// where all have to be done.
func (r *rig) wantOnceEach(keys int, all bool) {
	r.t.Helper()
	effects, distinct := r.count("SELECT count(*) FROM "+r.effects), r.count("SELECT count(DISTINCT what) FROM "+r.effects)
	records := r.count("SELECT count(*) FROM " + r.records + " WHERE state = 'completed'")
	if effects != distinct || effects != records || all && effects != keys {
		r.t.Errorf("%d effects of %d operations, %d completed, of %d", effects, distinct, records, keys)
	}
}

// pooled are a server of the test's own, and a pool of two connections before it.
func pooled(t *testing.T) (dsn, pooled string) {
	t.Helper()
	s, err := postgres.Start(context.Background())
	testdb.Started(t, err)
	t.Cleanup(func() { _ = s.Stop() })
	p, err := pgbouncer.Start(context.Background(), s, "transaction", 2)
	testdb.Started(t, err)
	t.Cleanup(func() { _ = p.Stop() })
	return s.DSN("postgres"), p.DSN("postgres")
}

// crowd lets every worker deliver every key, and counts the errors by their code.
func (r *rig) crowd(workers, keys int) map[string]int {
	r.t.Helper()
	failed := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			for n := range keys {
				_, err := r.deliver(fmt.Sprint((n+i)%keys), r.write)
				if err == nil {
					continue
				}
				code := err.Error()
				var refused *pgconn.PgError
				if errors.As(err, &refused) {
					code = refused.Code
				}
				mu.Lock()
				failed[code]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return failed
}
