package mysqlwire_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"
)

// BenchmarkProxy shows what the proxy adds to one statement, and to one that commits.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	for _, to := range []struct{ name, dsn string }{{"direct", s.dsn}, {"proxied", s.proxied}} {
		for _, what := range []struct{ name, sql string }{
			{"select", "SELECT 1"}, {"insert", "INSERT INTO t VALUES (1, 'x') ON DUPLICATE KEY UPDATE note = 'x'"},
		} {
			b.Run(to.name+"/"+what.name, func(b *testing.B) {
				roundTrips(b, connect(b, to.dsn), what.sql)
				s.trace() // or the events pile up
			})
		}
	}
}

func roundTrips(b *testing.B, conn *sql.Conn, sql string) {
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := conn.ExecContext(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Microseconds()) }
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}
