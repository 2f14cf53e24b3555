package bench_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/guardpgx"
)

// BenchmarkOwnRow: claim, row and completion in one transaction, beside BEGIN, row,
// COMMIT; on the spot, and over a line with a round trip of a millisecond.
func BenchmarkOwnRow(b *testing.B) {
	eachDatabase(b, func(b *testing.B, p place) {
		for _, delay := range p.delays() {
			for _, workers := range []int{1, 8} {
				b.Run(fmt.Sprintf("rtt=%s/workers=%d", delay, workers), func(b *testing.B) {
					db := p.over(b, delay)
					ratio(b, workers, p.guarded(b, db), func() error {
						return inTransaction(db, func(ctx context.Context, tx *sql.Tx) error { return p.book(ctx, tx, nextKey()) })
					})
				})
			}
		}
	})
}

// BenchmarkOwnRowNaive: the same beside the guard that people write, which reads and
// then inserts.
func BenchmarkOwnRowNaive(b *testing.B) {
	eachDatabase(b, func(b *testing.B, p place) {
		read := fmt.Sprintf("SELECT count(*) FROM bare WHERE k = %s", p.mark(1))
		insert := fmt.Sprintf("INSERT INTO bare (k, v) VALUES (%s, 0)", p.mark(1))
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
				if p.dialect == twiceproof.SQLite && workers > 1 {
					b.Skip("a transaction that reads first cannot write while another one does")
				}
				ratio(b, workers, p.guarded(b, p.db), func() error {
					return inTransaction(p.db, func(ctx context.Context, tx *sql.Tx) error {
						key, n := nextKey(), 0
						if err := tx.QueryRowContext(ctx, read, key).Scan(&n); err != nil || n > 0 {
							return err
						}
						if _, err := tx.ExecContext(ctx, insert, key); err != nil {
							return err
						}
						return p.book(ctx, tx, key)
					})
				})
			})
		}
	})
}

func (p place) guarded(b *testing.B, db *sql.DB) func() error {
	g := p.guard(b, db, ownRowJob())
	return func() error {
		res, err := g.RunTx(context.Background(), delivery(nextKey()), func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
			return p.book(ctx, tx, op.Key)
		})
		return done(res, err, false)
	}
}

// BenchmarkOwnRowPgx: guardpgx, which sends BEGIN with the claim and the seal with
// COMMIT, beside the same job on pgx.
func BenchmarkOwnRowPgx(b *testing.B) {
	p := newPlace(b, databases[0])
	for _, delay := range p.delays() {
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("db=postgres/rtt=%s/workers=%d", delay, workers), func(b *testing.B) {
				pool := p.pool(b, delay)
				g, err := guardpgx.New(pool, ownRowJob(), twiceproof.Options{Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					b.Fatal(err)
				}
				const insert = "INSERT INTO bookings (k) VALUES ($1)"
				ratio(b, workers, func() error {
					res, err := g.RunTx(context.Background(), delivery(nextKey()), func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
						_, err := tx.Exec(ctx, insert, op.Key)
						return err
					})
					return done(res, err, false)
				}, func() error {
					return pgx.BeginFunc(context.Background(), pool, func(tx pgx.Tx) error {
						_, err := tx.Exec(context.Background(), insert, nextKey())
						return err
					})
				})
			})
		}
	}
}

func (p place) pool(b *testing.B, delay time.Duration) *pgxpool.Pool {
	b.Helper()
	config, err := pgxpool.ParseConfig(p.slow(b, p.dsn, delay))
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return pool
}

func (p place) delays() []time.Duration {
	if p.dialect == twiceproof.SQLite {
		return []time.Duration{0}
	}
	return []time.Duration{0, time.Millisecond}
}

func (p place) over(b *testing.B, delay time.Duration) *sql.DB {
	b.Helper()
	return p.open(b, p.slow(b, p.dsn, delay))
}
