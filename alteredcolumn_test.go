package twiceproof

import (
	"context"
	"strings"
	"testing"
)

// A key column that somebody has altered takes two operations for one. The second must
// not be told that it is done: nobody has done it.
func TestAlteredKeyColumn(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		switch r.d.dialect {
		case Postgres:
			r.exec(`CREATE COLLATION IF NOT EXISTS altered (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
			r.exec("ALTER TABLE " + r.table + " ALTER operation_key TYPE text COLLATE altered")
		case MySQL:
			r.exec("ALTER TABLE " + r.table + " MODIFY operation_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL")
		case SQLite:
			r.exec("DROP TABLE " + r.table)
			r.exec(strings.ReplaceAll(statements(SQLite, r.table).Schema, "COLLATE BINARY", "COLLATE NOCASE"))
		}
		acknowledged := 0
		for _, key := range []string{"aB", "Ab"} {
			for _, j := range everyPolicy() {
				if res, err := r.guard(j).Run(context.Background(), delivery(key), r.till.charge); err == nil && res.Acknowledge() {
					acknowledged++
					break
				}
			}
			if res, err := r.guard(ownRowJob()).RunTx(context.Background(), delivery("row "+key), r.book); err == nil && res.Acknowledge() {
				acknowledged++
			}
			b := r.runBatch(r.guard(holdJob()), r.till.charge, delivery("batch "+key))
			for _, e := range b.by {
				if e.Failure == nil && e.Result.Acknowledge() {
					acknowledged++
				}
			}
		}
		effects := r.till.total() + r.booked("row aB") + r.booked("row Ab")
		if acknowledged != effects {
			t.Errorf("%d operations acknowledged, %d effects", acknowledged, effects)
		}
	})
}
