package replay

import (
	"fmt"
	"slices"
	"strings"
)

// only keeps the cases that are named, as case, case/point, or either behind its version, each once and in
// the plan's order.
func only(cases []Planned, names []string) ([]Planned, error) {
	if len(names) == 0 {
		return cases, nil
	}
	wanted := func(name string) func(Planned) bool {
		return func(c Planned) bool {
			return slices.Contains([]string{c.Case, c.Label(), c.Version + "/" + c.Case, c.Version + "/" + c.Label()}, name)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(cases, wanted(name)) {
			return nil, &Problem{What: fmt.Sprintf("there is no case %q", name), Hint: "the cases are " + strings.Join(caseNames(cases), ", ")}
		}
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c Planned) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return wanted(name)(c) })
	}), nil
}

func caseNames(cases []Planned) []string {
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, c.Label()) {
			names = append(names, c.Label())
		}
	}
	return names
}
