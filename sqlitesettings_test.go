package twiceproof

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// However a connection begins its transactions, and whether or not it waits for the
// writer: one of many claims, and nobody gets an error.
func TestSQLiteSettings(t *testing.T) {
	for journal, made := range map[string]func(testing.TB, ...string) string{"wal": testdb.SQLite, "delete": testdb.SQLiteRollback} {
		for _, lock := range []string{"", "&_txlock=immediate", "&_txlock=exclusive"} {
			for _, wait := range []bool{true, false} {
				if journal == "delete" && !wait {
					continue // its COMMIT needs the busy timeout
				}
				name := journal + lock + map[bool]string{true: ", waits"}[wait]
				t.Run(name, func(t *testing.T) {
					r := newRigAt(t, databaseOf(SQLite), made(t)+noSync, dialect.Table)
					r.dsn += lock
					if !wait {
						r.dsn = strings.Replace(r.dsn, "_pragma=busy_timeout(5000)&", "", 1)
					}
					var outside, own []*Guard
					for _, db := range connections(r, 8) {
						outside, own = append(outside, r.guardOn(db, holdJob())), append(own, r.guardOn(db, ownRowJob()))
					}
					r.claimedOnce(t, outside, own)
				})
			}
		}
	}
}

func (r *rig) claimedOnce(t *testing.T, outside, own []*Guard) {
	t.Helper()
	acted, told, failed := atOnce(t, outside, "k", func(g *Guard, key string) (Result, error) {
		return g.Run(context.Background(), delivery(key), r.till.charge)
	})
	if acted != 1 || len(failed) != 0 || told[Completed]+told[Live] != len(outside) {
		t.Errorf("%d acted, %v, %v", acted, told, failed)
	}
	r.wantEffects("k", 1)
	for until := time.Now().Add(time.Minute); r.booked("row") == 0; {
		_, told, failed = atOnce(t, own, "row", func(g *Guard, key string) (Result, error) {
			return g.RunTx(context.Background(), delivery(key), r.book)
		})
		if len(failed) != 0 || told[Completed]+told[Live] != len(own) {
			t.Errorf("%v, %v", told, failed)
		}
		if time.Now().After(until) {
			t.Fatal("nobody booked")
		}
	}
	r.wantBooked("row", 1, 1)
}
