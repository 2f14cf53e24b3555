package admin

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// many is how many old records there are, and whether the times of it count.
func many() (n int, full bool) {
	if os.Getenv("TWICEPROOF_FULL") != "" {
		return 5_000_000, true
	}
	return 30_000, false
}

// manyOld makes completed records by one statement each for so many, and updates each
// of them three times, as a job's life does.
func (r *rig) manyOld(n int) {
	r.t.Helper()
	numbers, key := "generate_series(%d, %d) AS n", "lpad(n::text, 8, '0')"
	token := "gen_random_uuid()"
	switch r.d.name {
	case "mysql":
		numbers, key, token = "(SELECT seq AS n FROM seq_%d_to_%d) AS numbers", "LPAD(n, 8, '0')", "LOWER(HEX(RANDOM_BYTES(16)))"
	case "sqlite":
		numbers = "(WITH RECURSIVE s(n) AS (VALUES (%d) UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s)"
		key, token = "printf('%%08d', n)", "lower(hex(randomblob(16)))"
	}
	old := r.ago(40 * day)
	const page = 100_000
	for from := 1; from <= n; from += page {
		till := min(from+page-1, n)
		r.exec(fmt.Sprintf("INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, completed_at, completion) "+
			"SELECT 'charge', "+key+", 'completed', "+token+", "+old+", 60000, "+old+", "+old+", 'acted' FROM "+numbers, from, till))
		for range 3 {
			r.exec(fmt.Sprintf("UPDATE idempotency_records SET repeats = repeats + 1 WHERE job_type = 'charge' AND operation_key BETWEEN '%08d' AND '%08d'", from, till))
		}
	}
}

// idle opens a transaction that has read, and leaves it open.
func (r *rig) idle() (end func()) {
	r.t.Helper()
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
	if r.d.name == "sqlite" {
		options = nil
	}
	tx, err := openDB(r.t, r.d, r.dsn).BeginTx(context.Background(), options)
	if err != nil {
		r.t.Fatal(err)
	}
	var key string
	if err := tx.QueryRowContext(context.Background(), "SELECT operation_key FROM idempotency_records WHERE job_type = 'charge' LIMIT 1").Scan(&key); err != nil {
		r.t.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}

// claimers deliver new operations, whose keys are between the old ones, until stop; they
// give how long each delivery took.
func (s *shop) claimers(name string, stop <-chan struct{}) (took []time.Duration) {
	s.t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	workers := 4
	if s.d.name == "sqlite" { // it has one writer at a time, and prune is another one
		workers = 2
	}
	for w := range workers {
		all.Go(func() {
			for i := w; ; i += workers {
				message := fmt.Sprintf(`{"order":"%08d %s"}`, i*7919%30_000, fmt.Sprint(name, i))
				began := time.Now()
				res := s.deliver(message, nil)
				if res.Outcome != twiceproof.Completed || res.Repeat {
					s.t.Errorf("%s: %+v", message, res)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	all.Wait()
	return took
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// Many records, each updated three times, and an old transaction open, so that nothing
// dead can be cleaned up: while prune takes them away page by page workers claim and
// complete between them, and none gets an error. In the long run the slowest of them are
// compared with those beside no prune.
func TestClaimsBesidePruneOfMany(t *testing.T) {
	n, full := many()
	onEach(t, func(t *testing.T, r *rig) {
		r.manyOld(n)
		s := newShop(r, job.Hold)
		end := r.idle()
		defer end()
		alone := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(alone) })
		without := s.claimers("alone ", alone)

		pruned := make(chan struct{})
		var done Pruned
		records := openRecords(t, openDB(t, r.d, r.dsn), r.d)
		go func() {
			defer close(pruned)
			for done.Left = 1; done.Left > 0 && !t.Failed(); { // what was locked is left for the next run
				done.Left = 0
				all, err := records.Prune(context.Background(), PruneOptions{OlderThan: cut, Apply: true})
				if err != nil {
					t.Error(err)
				}
				for _, p := range all {
					done.Deleted, done.Left = done.Deleted+p.Deleted, done.Left+p.Left
				}
			}
		}()
		during := s.claimers("during ", pruned)

		if done.Deleted != int64(n) || done.Left != 0 {
			t.Errorf("%+v, want %d deleted", done, n)
		}
		if claims := len(without) + len(during); len(during) < 5 || s.charged != claims || len(r.keys()) != claims {
			t.Errorf("%d claims, %d of them beside prune; %d effects, %d records", claims, len(during), s.charged, len(r.keys()))
		}
		t.Logf("p99 of %d claims alone %s, of %d beside prune %s", len(without), p99(without), len(during), p99(during))
		if slow := p99(during); full && slow > 20*max(p99(without), 5*time.Millisecond) {
			t.Errorf("p99 is %s beside prune, %s alone", slow, p99(without))
		}
	})
}
