package bench_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// What one would take instead, on PostgreSQL. They do more (a queue, a workflow), and
// less (none says what follows when nobody can tell): the figures say only what each
// writes before and after the effect.

// BenchmarkRunBesideDBOS: claim and completion, beside a workflow of one step whose id
// is the operation key.
func BenchmarkRunBesideDBOS(b *testing.B) {
	p := newPlace(b, databases[0])
	quiet := slog.New(slog.DiscardHandler)
	ctx, err := dbos.NewContext(context.Background(), dbos.Config{AppName: "bench", DatabaseURL: p.dsn, Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	workflow := func(ctx dbos.Context, key string) (string, error) {
		return dbos.RunAsStep(ctx, func(context.Context) (string, error) { return key, nil })
	}
	dbos.RegisterWorkflow(ctx, workflow)
	if err := dbos.Launch(ctx); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { dbos.Shutdown(ctx, 5*time.Second) })
	g := p.guard(b, p.db, outsideJob())
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprintf("db=postgres/workers=%d", workers), func(b *testing.B) {
			ratio(b, workers, func() error {
				res, err := g.Run(context.Background(), delivery(nextKey()), nothing)
				return done(res, err, false)
			}, func() error {
				key := nextKey()
				handle, err := dbos.RunWorkflow(ctx, workflow, key, dbos.WithWorkflowID(key))
				if err != nil {
					return err
				}
				_, err = handle.GetResult()
				return err
			})
		})
	}
}

type charge struct {
	Order string `json:"order" river:"unique"`
}

func (charge) Kind() string { return "charge_order" }

// BenchmarkRunBesideRiver: claim and completion, beside a unique insert of a job,
// which keeps one operation from being enqueued twice and says nothing of its effect.
func BenchmarkRunBesideRiver(b *testing.B) {
	p := newPlace(b, databases[0])
	pool := p.pool(b, 0)
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := migrator.Migrate(context.Background(), rivermigrate.DirectionUp, nil); err != nil {
		b.Fatal(err)
	}
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	unique := &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}}
	g := p.guard(b, p.db, outsideJob())
	for _, again := range []bool{false, true} {
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("db=postgres/repeat=%v/workers=%d", again, workers), func(b *testing.B) {
				next := nextKey
				if again {
					key := nextKey()
					next = func() string { return key }
					if _, err := g.Run(context.Background(), delivery(key), nothing); err != nil {
						b.Fatal(err)
					}
					if _, err := client.Insert(context.Background(), charge{key}, unique); err != nil {
						b.Fatal(err)
					}
				}
				ratio(b, workers, func() error {
					res, err := g.Run(context.Background(), delivery(next()), nothing)
					return done(res, err, again)
				}, func() error {
					inserted, err := client.Insert(context.Background(), charge{next()}, unique)
					if err == nil && inserted.UniqueSkippedAsDuplicate != again {
						err = fmt.Errorf("duplicate: %v", inserted.UniqueSkippedAsDuplicate)
					}
					return err
				})
			})
		}
	}
}
