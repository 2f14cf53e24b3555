package bench_test

import (
	"sync"
	"testing"
	"time"
)

// block is how many jobs each worker makes at a stretch. The stretches of the two
// sides alternate, so that both meet the same machine.
const block = 25

// ratio reports how many jobs a second each side makes, and one by the other.
func ratio(b *testing.B, workers int, guarded, other func() error) {
	b.Helper()
	stretch(b, workers, other) // connections, prepared texts, caches
	stretch(b, workers, guarded)
	var guardedTime, otherTime time.Duration
	for b.Loop() {
		otherTime += stretch(b, workers, other)
		guardedTime += stretch(b, workers, guarded)
	}
	jobs := float64(b.N * workers * block)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(jobs/guardedTime.Seconds(), "guarded/s")
	b.ReportMetric(jobs/otherTime.Seconds(), "other/s")
	b.ReportMetric(otherTime.Seconds()/guardedTime.Seconds(), "ratio")
}

func stretch(b *testing.B, workers int, run func() error) time.Duration {
	b.Helper()
	start := time.Now()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range block {
				if err := run(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}
