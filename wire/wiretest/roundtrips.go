package wiretest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// warm is how many exchanges go before any is measured. They are measured in batches, so
// that what else the machine does for a moment spoils one of them and not the figure.
const (
	warm    = 200
	batches = 10
)

// RoundTrips measures what a proxy adds to an exchange. The same exchange is made without it,
// once more without it and with it, each on what connect has made for it; they take turns, so
// that all meet the same machine, and change places, since who comes first finds the
// processor's caches cold. What the two without it differ by is the machine's: no figure is
// better than that floor.
func RoundTrips(b *testing.B, direct, proxied string, connect func(address string) (exchange func() error)) {
	ways := [...]func() error{connect(direct), connect(direct), connect(proxied)}
	var took [len(ways)][]time.Duration
	once := func(n int) {
		for i := range ways {
			i = (i + n) % len(ways)
			began := time.Now()
			if err := ways[i](); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for n := range warm {
		once(n)
	}
	clear(took[:])
	for n := 0; b.Loop(); n++ {
		once(n)
	}
	for _, share := range []int{50, 99} {
		report(b, share, took)
	}
}

// report gives the percentile's median over the batches.
func report(b *testing.B, share int, took [3][]time.Duration) {
	var without, floor, added []float64
	size := max(1, len(took[0])/batches)
	for from := 0; from+size <= len(took[0]); from += size {
		var at [3]float64
		for i := range took {
			batch := took[i][from : from+size]
			slices.Sort(batch)
			at[i] = float64(batch[share*(size-1)/100].Nanoseconds()) / 1000
		}
		direct := (at[0] + at[1]) / 2
		without, floor, added = append(without, direct), append(floor, max(at[0], at[1])-min(at[0], at[1])), append(added, at[2]-direct)
	}
	for name, all := range map[string][]float64{"direct": without, "floor": floor, "added": added} {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], fmt.Sprintf("p%d-%s-µs", share, name))
	}
}
