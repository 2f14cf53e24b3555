package judge

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
)

// Fact is something that a look at the fault shows.
type Fact string

// The facts.
const (
	FactEffect     Fact = "effect"
	FactNoEffect   Fact = "no effect"
	FactRecord     Fact = "record"
	FactCompletion Fact = "completion"
)

func (f Fact) in(s Seen) bool {
	switch f {
	case FactEffect:
		return s.Effects > 0
	case FactNoEffect:
		return s.Effects == 0
	case FactRecord:
		return s.Records > 0
	}
	return s.State == job.EndCompleted
}

// missing is what the sentence says when it is not there.
var missing = map[Fact]string{
	FactEffect:     "the effect was not there yet",
	FactNoEffect:   "the effect was there already",
	FactRecord:     "no claim had been committed",
	FactCompletion: "the operation was not completed",
}

// misplaced: the fault fired, and what was seen then contradicts the place that it is
// named after. Counter-example: a service that answers the call and does nothing; the
// worker was killed "after the effect", and there was none.
func misplaced(p Planned, events []Event) Verdict {
	for _, e := range events {
		if !e.isLook() || e.Seen.When != SeenFault {
			continue
		}
		if i := slices.IndexFunc(p.Shows, func(f Fact) bool { return !f.in(*e.Seen) }); i >= 0 {
			return doubt("the fault was not where the case says (%s): %s", p.Fault, missing[p.Shows[i]])
		}
	}
	return Verdict{}
}
