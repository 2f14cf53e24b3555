package pgwire_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// BenchmarkProxy shows what the proxy adds to one statement, and to one that
// commits.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	for _, to := range []struct{ name, dsn string }{{"direct", s.dsn}, {"proxied", s.proxied}} {
		for _, what := range []struct{ name, sql string }{
			{"select", "SELECT 1"}, {"insert", "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET note = 'x'"},
		} {
			b.Run(to.name+"/"+what.name, func(b *testing.B) {
				conn := connect(b, to.dsn)
				roundTrips(b, conn, what.sql)
				s.trace() // or the events pile up
			})
		}
	}
}

func roundTrips(b *testing.B, conn *pgx.Conn, sql string) {
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := conn.Exec(b.Context(), sql, pgx.QueryExecModeCacheStatement); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Microseconds()) }
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}
