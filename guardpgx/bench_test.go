package guardpgx

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof"
)

// block is how many jobs each worker makes at a stretch; guarded and unguarded
// stretches alternate, so that both meet the same machine.
const block = 25

// BenchmarkOwnRow: jobs a second, guarded ÷ the same job unguarded.
func BenchmarkOwnRow(b *testing.B) {
	for _, delay := range []time.Duration{0, time.Millisecond} {
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("delay=%s/workers=%d", delay, workers), func(b *testing.B) {
				r := newRig(b, pgx.QueryExecModeCacheStatement, int32(workers))
				r.tap.delay = delay
				r.ratio(b, workers)
			})
		}
	}
}

func (r *rig) ratio(b *testing.B, workers int) {
	b.Helper()
	var job atomic.Int64
	next := func() string { return strconv.FormatInt(job.Add(1), 10) }
	ctx, cancel := context.WithCancel(context.Background()) // as a worker has one
	defer cancel()
	bare := func() error { return r.unguarded(ctx, next()) }
	guarded := func() error {
		if res, err := r.guard.RunTx(ctx, delivery(next()), r.write); err != nil || res.Outcome != twiceproof.Completed || res.Repeat {
			return fmt.Errorf("%+v: %w", res, err)
		}
		return nil
	}
	r.stretch(b, workers, bare) // connections and texts
	r.stretch(b, workers, guarded)
	var bareTime, guardedTime time.Duration
	for b.Loop() {
		bareTime += r.stretch(b, workers, bare)
		guardedTime += r.stretch(b, workers, guarded)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.N*workers*block)/bareTime.Seconds(), "unguarded/s")
	b.ReportMetric(float64(b.N*workers*block)/guardedTime.Seconds(), "guarded/s")
	b.ReportMetric(bareTime.Seconds()/guardedTime.Seconds(), "guarded÷unguarded")
}

func (r *rig) stretch(b *testing.B, workers int, run func() error) time.Duration {
	b.Helper()
	start := time.Now()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range block {
				if err := run(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

// BenchmarkRepeat: a delivery that finds its operation completed.
func BenchmarkRepeat(b *testing.B) {
	r := newRig(b, pgx.QueryExecModeCacheStatement, 2)
	r.run("k", r.write, twiceproof.Completed)
	for b.Loop() {
		if res, err := r.deliver("k", r.write); err != nil || !res.Repeat {
			b.Fatal(res, err)
		}
	}
}
