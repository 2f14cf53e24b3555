package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/twiceproof/twiceproof"
)

// BenchmarkOutside: claim and completion, beside two bare commits of one row.
func BenchmarkOutside(b *testing.B) {
	eachDatabase(b, func(b *testing.B, p place) {
		g := p.guard(b, p.db, outsideJob())
		insert := fmt.Sprintf("INSERT INTO bare (k, v) VALUES (%s, 0)", p.mark(1))
		update := fmt.Sprintf("UPDATE bare SET v = 1 WHERE k = %s", p.mark(1))
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
				ratio(b, workers, func() error {
					res, err := g.Run(context.Background(), delivery(nextKey()), nothing)
					return done(res, err, false)
				}, func() error {
					key := nextKey()
					if _, err := p.db.ExecContext(context.Background(), insert, key); err != nil {
						return err
					}
					_, err := p.db.ExecContext(context.Background(), update, key)
					return err
				})
			})
		}
	})
}

// BenchmarkRepeat: a delivery that finds its operation completed, beside an upsert
// that writes, as a counter of deliveries would.
func BenchmarkRepeat(b *testing.B) {
	eachDatabase(b, func(b *testing.B, p place) {
		g := p.guard(b, p.db, outsideJob())
		upsert := fmt.Sprintf("INSERT INTO bare (k, v) VALUES (%s, 0) ON CONFLICT (k) DO UPDATE SET v = bare.v + 1", p.mark(1))
		if p.dialect == twiceproof.MySQL {
			upsert = "INSERT INTO bare (k, v) VALUES (?, 0) ON DUPLICATE KEY UPDATE v = v + 1"
		}
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
				keys := make([]string, 64) // a storm hits more than one operation
				for i := range keys {
					keys[i] = nextKey()
					if _, err := g.Run(context.Background(), delivery(keys[i]), nothing); err != nil {
						b.Fatal(err)
					}
					p.exec(b, upsert, keys[i])
				}
				next := turns(keys)
				ratio(b, workers, func() error {
					res, err := g.Run(context.Background(), delivery(next()), nothing)
					return done(res, err, true)
				}, func() error {
					_, err := p.db.ExecContext(context.Background(), upsert, next())
					return err
				})
			})
		}
	})
}

// BenchmarkBatch: ten deliveries by RunBatch, beside ten by Run.
func BenchmarkBatch(b *testing.B) {
	eachDatabase(b, func(b *testing.B, p place) {
		g := p.guard(b, p.db, outsideJob())
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
				ratio(b, workers, func() (failed error) {
					g.RunBatch(context.Background(), ten(), nothing, func(ended ...twiceproof.Ended) {
						for _, e := range ended {
							if err := done(e.Result, e.Failure, false); err != nil {
								failed = err
							}
						}
					})
					return failed
				}, func() error {
					for _, d := range ten() {
						if res, err := g.Run(context.Background(), d, nothing); err != nil || res.Repeat {
							return fmt.Errorf("%+v: %w", res, err)
						}
					}
					return nil
				})
			})
		}
	})
}

func ten() (batch []twiceproof.Delivery) {
	for range 10 {
		batch = append(batch, delivery(nextKey()))
	}
	return batch
}
