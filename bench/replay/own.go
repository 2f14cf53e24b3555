package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// ownWork is how long the workers were at work by themselves: from what they were answered
// to what they say next to the database or the outside service. What a program loads when it
// first needs it, such as the database's driver in each process of a pool, is in it.
func ownWork(events []judge.Event) (sum time.Duration) {
	last := map[string]judge.Event{} // of each worker
	for _, e := range slices.SortedStableFunc(slices.Values(events), func(a, b judge.Event) int { return cmp.Compare(a.MS, b.MS) }) {
		if e.Event != judge.EventStep {
			continue
		}
		before := last[e.Worker]
		last[e.Worker] = e
		if before.What == "passed" && e.What == "request" && !strings.HasPrefix(e.Step, "queue ") {
			sum += time.Duration(e.MS-before.MS) * time.Millisecond
		}
	}
	return sum
}
