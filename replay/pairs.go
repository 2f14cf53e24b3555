package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// mostPairs is how many pairs are struck at most; more are sampled.
const (
	mostPairs = 20
	pairSeed  = 1
)

// strikePairs strikes at each first place alone, twice, and keeps what the redelivery says each
// time: the second places are those of these runs. Counter-example: those of the recorded run,
// of which a redelivery that finds the work half done never comes to two thirds.
func (w *world) strikePairs(ctx context.Context, firsts []place) error {
	names := w.plan.Places
	there, all := slices.Clone(firsts), []place(nil)
	firsts = firstsOf(firsts, names)
	alone := 2 * len(firsts)
	for i, first := range firsts {
		var heard [2][]recordedStep
		for n := range heard {
			w.progress(Progress{Planned: &w.plan, Done: 2*i + n, Of: alone + mostPairs, AtMost: true})
			w.heard = nil
			if err := w.strikeAt(ctx, first); err != nil {
				return err
			}
			if heard[n] = w.heard; w.heard == nil {
				break // it was not reached, and a second run would hide that
			}
		}
		for _, second := range durablePlaces(inBoth(heard[0], heard[1])) {
			all = append(all, first.and(second))
		}
	}
	there = append(there, all...)
	_, none := named(there, names)
	w.tellNone(none, there)
	chosen := chosenPairs(all, names)
	w.history.add(judge.Event{Event: judge.EventRecorded, Detail: pairsText(len(firsts), len(all), len(chosen))})
	for i, p := range chosen {
		w.progress(Progress{Planned: &w.plan, Done: alone + i, Of: alone + len(chosen)})
		if err := w.strikeAt(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// inBoth leaves out what only one of two redeliveries says.
func inBoth(first, second []recordedStep) []recordedStep {
	return slices.DeleteFunc(slices.Clone(first), func(s recordedStep) bool { return !among(second, s) })
}

// firstsOf keeps the first places that are named, or are the first of a pair that is.
func firstsOf(all []place, names []string) []place {
	return slices.DeleteFunc(slices.Clone(all), func(p place) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
			first, _, _ := strings.Cut(name, "+")
			return first == p.name()
		})
	})
}

// chosenPairs are those that are named; else all, or a sample of them that is the same each
// time, in their order.
func chosenPairs(all []place, names []string) (chosen []place) {
	if len(names) > 0 {
		chosen, _ = named(all, names)
		return chosen
	}
	if len(all) <= mostPairs {
		return all
	}
	random := rand.New(rand.NewPCG(pairSeed, pairSeed)) //nolint:gosec // it is to be the same each time
	at := random.Perm(len(all))[:mostPairs]
	slices.Sort(at)
	for _, i := range at {
		chosen = append(chosen, all[i])
	}
	return chosen
}

func pairsText(firsts, all, chosen int) string {
	text := fmt.Sprintf("a first kill at each of %d places, twice, and in the redeliveries after them %d places for a second one", firsts, all)
	if chosen < all {
		text += fmt.Sprintf(", of which %d are struck, the same ones each time", chosen)
	}
	return text
}
