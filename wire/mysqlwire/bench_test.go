package mysqlwire_test

import (
	"testing"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// BenchmarkProxy shows what the proxy adds to one statement, and to one that commits.
func BenchmarkProxy(b *testing.B) {
	s := start(b)
	for _, what := range []struct{ name, sql string }{
		{"select", "SELECT 1"}, {"insert", "INSERT INTO t VALUES (1, 'x') ON DUPLICATE KEY UPDATE note = 'x'"},
	} {
		b.Run(what.name, func(b *testing.B) {
			wiretest.RoundTrips(b, s.dsn, s.proxied, func(dsn string) func() error {
				conn := connect(b, dsn)
				return func() error {
					_, err := conn.ExecContext(b.Context(), what.sql)
					return err
				}
			})
			s.Steps() // or the events pile up
		})
	}
}
