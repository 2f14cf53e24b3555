package replay

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// pairs is how many pairs are tried at most.
const (
	pairs    = 20
	pairSeed = 1
)

// moreSteps are what a redelivery may say beside what the recorded run says: it looks up,
// and takes over.
const moreSteps = 3

// pairsOf are all pairs, or a sample of them that is the same each time.
func pairsOf(all []place, steps, writes int) (sample []place) {
	for _, p := range all {
		for n := range steps + moreSteps {
			p.then, p.thenWrite = n+1, false
			sample = append(sample, p)
		}
		for n := range writes {
			p.then, p.thenWrite = n+1, true
			sample = append(sample, p)
		}
	}
	if len(sample) <= pairs {
		return sample
	}
	random := rand.New(rand.NewPCG(pairSeed, pairSeed)) //nolint:gosec // it is to be the same each time
	random.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	sample = sample[:pairs]
	slices.SortStableFunc(sample, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.step.Protocol, b.step.Protocol), cmp.Compare(a.n, b.n), cmp.Compare(a.side, b.side), cmp.Compare(a.then, b.then))
	})
	return sample
}
