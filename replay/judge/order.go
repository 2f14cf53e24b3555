package judge

import (
	"cmp"
	"slices"
)

// InRunOrder are the cases as they are run: those of First first.
func (p Plan) InRunOrder() []Planned {
	return slices.SortedStableFunc(slices.Values(p.Cases), func(a, b Planned) int {
		return cmp.Compare(p.turn(a), p.turn(b))
	})
}

func (p Plan) turn(c Planned) int {
	if i := slices.Index(p.First, c.Name()); i >= 0 {
		return i
	}
	return len(p.First)
}

// InOrder are results in the plan's order, in whatever order the cases were run: who
// compares two reports finds the same line in the same place.
func (p Plan) InOrder(results []Result) []Result {
	at := make(map[string]int, len(p.Cases))
	for i, c := range p.Cases {
		at[c.Name()] = i
	}
	return slices.SortedStableFunc(slices.Values(results), func(a, b Result) int {
		return cmp.Compare(at[a.Name()], at[b.Name()])
	})
}
