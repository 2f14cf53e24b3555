package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// Ratios are to be read within one run: a guarded job beside the two bare
// single-row commits that it must make, a repeat beside an upsert that writes.

func benchOnEach(b *testing.B, bench func(b *testing.B, r *rig)) {
	b.Helper()
	for _, d := range databases {
		b.Run(d.name, func(b *testing.B) {
			if dsn := os.Getenv("TWICEPROOF_BENCH_DSN"); dsn != "" && d.dialect == Postgres {
				// A server that waits for its disk, which the throw-away one does not.
				bench(b, newRigAt(b, d, dsn, fmt.Sprintf("records_%d_%d", os.Getpid(), tables.Add(1))))
				return
			}
			bench(b, newRig(b, d))
		})
	}
}

func nothing(context.Context, *Operation) error { return nil }

func BenchmarkRun(b *testing.B) {
	benchOnEach(b, func(b *testing.B, r *rig) {
		b.Run("guarded", func(b *testing.B) {
			g := r.guardOn(r.plain, holdJob())
			for b.Loop() {
				if res, err := g.Run(context.Background(), delivery(newToken()), nothing); err != nil || res.Repeat {
					b.Fatal(res, err)
				}
			}
		})
		b.Run("two_bare_commits", func(b *testing.B) {
			bare := r.bareTable()
			for b.Loop() {
				key := newToken()
				mustExec(b, r.plain, "INSERT INTO "+bare+" (k, v) VALUES ($1, 0)", key)
				mustExec(b, r.plain, "UPDATE "+bare+" SET v = 1 WHERE k = $1", key)
			}
		})
	})
}

func BenchmarkRepeat(b *testing.B) {
	benchOnEach(b, func(b *testing.B, r *rig) {
		bare := r.bareTable()
		outside, own := r.guardOn(r.plain, holdJob()), r.guardOn(r.plain, ownRowJob())
		upsert := "INSERT INTO " + bare + " (k, v) VALUES ($1, 0) ON CONFLICT (k) DO UPDATE SET v = " + bare + ".v + 1"
		for _, n := range []int{1, 8} {
			b.Run("guarded", func(b *testing.B) {
				r.workers(b, n, func(ctx context.Context, _ string) error {
					_, err := outside.Run(ctx, delivery("k"), nothing)
					return err
				})
			})
			b.Run("guarded_own_row", func(b *testing.B) {
				r.workers(b, n, func(ctx context.Context, _ string) error {
					_, err := own.RunTx(ctx, delivery("k"), r.book)
					return err
				})
			})
			b.Run("upsert_that_writes", func(b *testing.B) {
				r.workers(b, n, func(ctx context.Context, _ string) error {
					_, err := r.plain.ExecContext(ctx, upsert, "k")
					return err
				})
			})
		}
	})
}

// workers runs a job by that many at once, each with a key of its own.
func (r *rig) workers(b *testing.B, n int, run func(ctx context.Context, key string) error) {
	b.Run(strconv.Itoa(n), func(b *testing.B) {
		r.plain.SetMaxIdleConns(2 * n)
		b.SetParallelism(max(1, n/runtime.GOMAXPROCS(0)))
		if n == 1 {
			for b.Loop() {
				if err := run(b.Context(), newToken()); err != nil {
					b.Fatal(err)
				}
			}
			return
		}
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := run(b.Context(), newToken()); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// BenchmarkOwnRow is a job whose effect is one row: guarded; as it was before; and
// with the guard that people write, which reads and then inserts.
func BenchmarkOwnRow(b *testing.B) {
	benchOnEach(b, func(b *testing.B, r *rig) {
		insert := "INSERT INTO " + r.bookings() + " VALUES ($1)"
		inTx := func(run func(ctx context.Context, tx *sql.Tx, key string) error) func(context.Context, string) error {
			return func(ctx context.Context, key string) error {
				tx, err := r.plain.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				if err := run(ctx, tx, key); err != nil {
					return errors.Join(err, tx.Rollback())
				}
				return tx.Commit()
			}
		}
		book := func(ctx context.Context, tx *sql.Tx, key string) error {
			_, err := tx.ExecContext(ctx, insert, key)
			return err
		}
		bare := r.bareTable()
		naive := func(ctx context.Context, tx *sql.Tx, key string) error {
			var n int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+bare+" WHERE k = $1", key).Scan(&n); err != nil || n > 0 {
				return err
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO "+bare+" (k, v) VALUES ($1, 0)", key); err != nil {
				return err
			}
			return book(ctx, tx, key)
		}
		g := r.guardOn(r.plain, ownRowJob())
		guarded := func(ctx context.Context, key string) error {
			res, err := g.RunTx(ctx, delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) error { return book(ctx, tx, op.Key) })
			if err == nil && res.Outcome != Completed && (res.Outcome != Live || r.d.dialect != SQLite) {
				err = fmt.Errorf("%+v", res)
			}
			return err
		}
		for _, n := range []int{1, 8} {
			if n > 1 && r.d.dialect == SQLite {
				continue // it has one writer
			}
			b.Run("unguarded", func(b *testing.B) { r.workers(b, n, inTx(book)) })
			b.Run("naive", func(b *testing.B) { r.workers(b, n, inTx(naive)) })
			b.Run("guarded", func(b *testing.B) { r.workers(b, n, guarded) })
		}
	})
}

// bareTable has nothing but a key and a value. Its statements are prepared by the
// driver as often as the guard's are.
func (r *rig) bareTable() string {
	name := r.table + "_bare_" + strconv.FormatInt(tables.Add(1), 10)
	r.exec("CREATE TABLE " + name + " (k text PRIMARY KEY, v integer)")
	return name
}

func mustExec(b *testing.B, db *sql.DB, statement string, args ...any) {
	b.Helper()
	if _, err := db.ExecContext(context.Background(), statement, args...); err != nil {
		b.Fatal(err)
	}
}
