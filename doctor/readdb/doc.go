// Package readdb reads what doctor judges from a live database.
//
// Hard rule: it changes nothing. In PostgreSQL and MySQL everything is asked within
// read-only transactions, and nothing is set for a session, which behind a pool is
// somebody else's next; a SQLite file is opened with query_only.
package readdb

import (
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/doctor"
)

// countLimit bounds the one question that reads the whole table. It leaves the others
// room in the time that the caller has for all. The tests have a shorter one.
var countLimit = 5 * time.Second

// hasColumns: what a table lacks is a finding of its own.
func hasColumns(live *doctor.Table, names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(live.Columns, func(c doctor.Column) bool { return c.Name == name }) {
			return false
		}
	}
	return true
}
