package repeats

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// spreads are gaps that know nothing of any timeout.
var spreads = map[string]func(r *rand.Rand) float64{
	"even":              func(r *rand.Rand) float64 { return 3 + 797*r.Float64() },
	"even, hours":       func(r *rand.Rand) float64 { return 100000 * r.Float64() },
	"of any length":     func(r *rand.Rand) float64 { return 3 * math.Pow(10000, r.Float64()) },
	"mostly short":      func(r *rand.Rand) float64 { return 2 + 40*r.ExpFloat64() },
	"backoff, jittered": func(r *rand.Rand) float64 { return r.Float64() * math.Pow(2, float64(r.IntN(9))) },
}

// Chance makes a pile in hardly one source of ten, however many gaps there are; the
// control is a pile among as many of them.
func TestChanceMakesNoPile(t *testing.T) {
	const rounds = 60
	for what, spread := range spreads {
		for _, n := range []int{10, 40, 150} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			piles, found := 0, 0
			for range rounds {
				var gaps, piled []string
				for range n {
					gaps = append(gaps, seconds(spread(r)))
				}
				for range max(12, n/5) {
					piled = append(piled, seconds(420+8*r.Float64()))
				}
				if len(context(Settings{Queue: "sqs"}, many(gaps...)...).Timeouts) > 0 {
					piles++
				}
				for _, timeout := range context(Settings{Queue: "sqs"}, many(append(piled, gaps...)...)...).Timeouts {
					if d := timeout.Length - 420*time.Second; max(d, -d) <= 4*time.Second {
						found++
					}
				}
			}
			if 10*piles > rounds || 20*found < 19*rounds {
				t.Errorf("%s, %d: %d piles by chance, %d found, of %d", what, n, piles, found, rounds)
			}
		}
	}
}

func seconds(s float64) string { return time.Duration(s * float64(time.Second)).String() }
