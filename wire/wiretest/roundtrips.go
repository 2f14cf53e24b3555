package wiretest

import (
	"slices"
	"testing"
	"time"
)

// RoundTrips measures the same exchange without and with a proxy, in turn, so that both
// meet the same machine.
func RoundTrips(b *testing.B, direct, proxied func() error) {
	ways := []func() error{direct, proxied}
	took := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, ask := range ways {
			began := time.Now()
			if err := ask(); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for _, share := range []struct {
		name string
		of   float64
	}{{"p50", 0.5}, {"p99", 0.99}} {
		var at []float64
		for _, all := range took {
			slices.Sort(all)
			at = append(at, float64(all[int(share.of*float64(len(all)-1))].Microseconds()))
		}
		b.ReportMetric(at[0], share.name+"-direct-µs")
		b.ReportMetric(at[1]-at[0], share.name+"-added-µs")
	}
}
