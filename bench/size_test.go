package bench_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
)

// BenchmarkSize: the median time of a claim and its completion among many records,
// beside the same among ten thousand. Ten million take minutes to make, so they are
// for TWICEPROOF_FULL; else it is a hundred thousand.
func BenchmarkSize(b *testing.B) {
	const few = 10_000
	many := 100_000
	if os.Getenv("TWICEPROOF_FULL") != "" {
		many = 10_000_000
	}
	for _, d := range databases {
		b.Run(fmt.Sprintf("db=%s/records=%d", d.name, many), func(b *testing.B) {
			small, large := newPlace(b, d), newPlace(b, d)
			small.fill(b, few)
			large.fill(b, many)
			of := map[string]*twiceproof.Guard{"few": small.guard(b, small.db, outsideJob()), "many": large.guard(b, large.db, outsideJob())}
			took := map[string][]time.Duration{}
			once := func(side string) {
				start := time.Now()
				res, err := of[side].Run(context.Background(), delivery(nextKey()), nothing)
				if err := done(res, err, false); err != nil {
					b.Fatal(err)
				}
				took[side] = append(took[side], time.Since(start))
			}
			for b.Loop() {
				for range block {
					once("few")
					once("many")
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(took["many"]).Nanoseconds()), "p50-ns-many")
			b.ReportMetric(float64(median(took["few"]).Nanoseconds()), "p50-ns-few")
			b.ReportMetric(float64(median(took["many"]))/float64(median(took["few"])), "ratio")
		})
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// fill makes completed records, with keys among which those of the benchmark fall. They
// are made in the order of their keys: ten million in another one take hours on a server
// with little memory.
func (p place) fill(b *testing.B, n int) {
	b.Helper()
	now := map[twiceproof.Dialect]string{
		twiceproof.Postgres: "statement_timestamp()", twiceproof.MySQL: "UTC_TIMESTAMP(6)", twiceproof.SQLite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
	}[p.dialect]
	source := map[twiceproof.Dialect]string{
		twiceproof.Postgres: "SELECT md5(n::text) AS k FROM generate_series(1, %d) AS n",
		twiceproof.MySQL:    "SELECT MD5(seq) AS k FROM seq_1_to_%d",
		twiceproof.SQLite:   "SELECT lower(hex(randomblob(16))) AS k FROM (WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s)",
	}[p.dialect]
	token := "k"
	if p.dialect == twiceproof.Postgres {
		token = "k::uuid"
	}
	p.exec(b, fmt.Sprintf(`INSERT INTO idempotency_records
		(job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at, policy, reference, completed_at, completion)
		SELECT 'charge_order', k, 'completed', %s, %s, 60000, %s, 'hold', k, %s, 'acted' FROM (%s) AS made ORDER BY made.k`,
		token, now, now, now, fmt.Sprintf(source, n)))
	if p.dialect == twiceproof.Postgres {
		p.exec(b, "VACUUM ANALYZE idempotency_records")
	}
}

// BenchmarkMemory: what a guard keeps after a million operations, beside what it
// keeps after a tenth of them: nothing grows with the number of operations. The records
// are deleted now and then, since SQLite's driver keeps more for a larger file. Fewer
// operations are made unless TWICEPROOF_FULL is set.
func BenchmarkMemory(b *testing.B) {
	many := 20_000
	if os.Getenv("TWICEPROOF_FULL") != "" {
		many = 1_000_000
	}
	p := newPlace(b, databases[len(databases)-1])
	p.exec(b, "PRAGMA synchronous = 0") // the memory is measured here, not the disk
	p.db.SetMaxOpenConns(1)
	g := p.guard(b, p.db, outsideJob())
	busyMoment()
	made := 0
	upTo := func(n int) float64 {
		for ; made < n; made++ {
			if _, err := g.Run(context.Background(), delivery(nextKey()), nothing); err != nil {
				b.Fatal(err)
			}
			if made%1000 == 0 {
				p.exec(b, "DELETE FROM idempotency_records")
			}
		}
		runtime.GC()
		runtime.GC() // what finalizers let go of, too
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	b.Run(fmt.Sprintf("db=sqlite/operations=%d", many), func(b *testing.B) {
		var few, all float64
		for b.Loop() {
			if made == 0 {
				few, all = upTo(many/10), upTo(many)
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(few, "heap-B-few")
		b.ReportMetric(all, "heap-B-many")
		b.ReportMetric(all/few, "ratio")
	})
}

// busyMoment has many goroutines at once. The runtime keeps what describes each of them
// for ever, and the drivers start two for a statement: where other processes keep them
// from ending, their number would look like memory that the guard keeps.
func busyMoment() {
	var all sync.WaitGroup
	end := make(chan struct{})
	for range 5000 {
		all.Go(func() { <-end })
	}
	close(end)
	all.Wait()
}
