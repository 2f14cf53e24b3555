package twiceproof

import (
	"context"
	"database/sql"
	"strconv"
	"testing"
)

// Ratios are to be read within one run: a guarded job beside the two bare
// single-row commits that it must make, a repeat beside an upsert that writes.

func benchOnEach(b *testing.B, bench func(b *testing.B, r *rig)) {
	b.Helper()
	for _, d := range databases {
		b.Run(d.name, func(b *testing.B) { bench(b, newRig(b, d)) })
	}
}

func nothing(context.Context, *Operation) error { return nil }

func BenchmarkRun(b *testing.B) {
	benchOnEach(b, func(b *testing.B, r *rig) {
		b.Run("guarded", func(b *testing.B) {
			g := r.guardOn(r.plain, holdJob())
			for n := 0; b.Loop(); n++ {
				if res, err := g.Run(context.Background(), delivery(strconv.Itoa(n)), nothing); err != nil || res.Repeat {
					b.Fatal(res, err)
				}
			}
		})
		b.Run("two_bare_commits", func(b *testing.B) {
			bare := r.bareTable()
			for n := 0; b.Loop(); n++ {
				key := strconv.Itoa(n)
				mustExec(b, r.plain, "INSERT INTO "+bare+" (k, v) VALUES ($1, 0)", key)
				mustExec(b, r.plain, "UPDATE "+bare+" SET v = 1 WHERE k = $1", key)
			}
		})
	})
}

func BenchmarkRepeat(b *testing.B) {
	benchOnEach(b, func(b *testing.B, r *rig) {
		b.Run("guarded", func(b *testing.B) {
			g := r.guardOn(r.plain, holdJob())
			for b.Loop() {
				if _, err := g.Run(context.Background(), delivery("k"), nothing); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("upsert_that_writes", func(b *testing.B) {
			bare := r.bareTable()
			for b.Loop() {
				mustExec(b, r.plain, "INSERT INTO "+bare+" (k, v) VALUES ($1, 0) ON CONFLICT (k) DO UPDATE SET v = "+bare+".v + 1", "k")
			}
		})
	})
}

// bareTable has nothing but a key and a value. Its statements are prepared by the
// driver as often as the guard's are.
func (r *rig) bareTable() string {
	name := "bare_" + strconv.FormatInt(tables.Add(1), 10)
	r.exec("CREATE TABLE " + name + " (k text PRIMARY KEY, v integer)")
	return name
}

func mustExec(b *testing.B, db *sql.DB, statement string, args ...any) {
	b.Helper()
	if _, err := db.ExecContext(context.Background(), statement, args...); err != nil {
		b.Fatal(err)
	}
}
