package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// named keeps the places that --only names, and gives the names for which the recorded run
// has none.
func named(all []place, names []string) (kept []place, none []string) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(p place) bool { return p.name() == name }) {
			none = append(none, name)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p place) bool { return !slices.Contains(names, p.name()) }), none
}

// tellNone: a place that is not there is a run of its own whose fault did not fire.
// Counter-example: of two places that are named one is there, and ok.
func (w *world) tellNone(names []string, all []place) {
	for _, name := range names {
		w.history.nextRun()
		w.history.add(judge.Event{Event: judge.EventFault, What: name, Detail: noPlace(name, w.Rung, all)})
	}
}

func noPlace(name string, rung judge.Rung, all []place) string {
	if len(all) == 0 {
		return fmt.Sprintf("rung %s has no place %s, nor any other", rung, name)
	}
	there := make([]string, len(all))
	for i, p := range all {
		there[i] = p.name()
	}
	return fmt.Sprintf("rung %s has no place %s, but %s", rung, name, strings.Join(there, ", "))
}
