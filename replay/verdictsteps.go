package replay

import (
	"cmp"
	"fmt"
	"slices"
)

// struckRun is one run of every_step: where it was struck, and what came of it.
type struckRun struct {
	name, where string // of the place
	missed      string // what is said where a fault of it did not fire; empty: all did
	events      []Event
	verdict     Verdict
}

// strikes are the runs that were struck, or were to be, in order.
func strikes(events []Event) (all []struckRun) {
	for _, run := range SplitRuns(events) {
		i := slices.IndexFunc(run, func(e Event) bool { return e.Event == EventFault })
		if i < 0 {
			continue // it was recorded
		}
		s := struckRun{name: run[i].What, where: run[i].Detail, events: run}
		for _, e := range run {
			if e.Event == EventFault && !e.Fired {
				s.missed = e.Detail
			}
		}
		all = append(all, s)
	}
	return all
}

// SplitRuns gives the runs of a case with many, in order; what came before the first, and a
// case without any, is in none.
func SplitRuns(events []Event) (runs [][]Event) {
	for _, e := range events {
		switch {
		case e.Run == 0:
		case len(runs) > 0 && runs[len(runs)-1][0].Run == e.Run:
			runs[len(runs)-1] = append(runs[len(runs)-1], e)
		default:
			runs = append(runs, []Event{e})
		}
	}
	return runs
}

// judgeSteps judges each run by itself, and says of neighbours that end alike only once
// how. A violation counts whatever else could not be told.
func judgeSteps(p Planned, events []Event) Verdict {
	runs := judged(p, events)
	if len(runs) == 0 {
		return cmp.Or(notRead(events), doubt("no step was recorded at which a worker could be struck"))
	}
	worst := worstRun(runs)
	if worst.verdict.Verdict == OK {
		return worst.verdict
	}
	v := worst.verdict
	v.Why = ""
	for _, s := range stretches(runs) {
		if s[0].verdict.Verdict != v.Verdict || s[0].verdict.Kind != v.Kind {
			continue
		}
		if v.Why != "" {
			v.Why += "; "
		}
		v.Why += stretchText(s)
	}
	return v
}

// judged are the runs with their verdicts. Of a place that was tried twice the last one counts,
// unless the one before it has struck and is not ok.
func judged(p Planned, events []Event) (runs []struckRun) {
	for _, run := range strikes(events) {
		run.verdict = judgeOne(p, run.events)
		if run.missed != "" && run.verdict.Verdict != Violation {
			run.verdict = doubt("%s", run.missed)
		}
		if n := len(runs); n > 0 && runs[n-1].name == run.name && runs[n-1].mayBeTriedAgain() {
			runs = runs[:n-1]
		}
		runs = append(runs, run)
	}
	return runs
}

// mayBeTriedAgain: another run of the same place takes its place.
func (s struckRun) mayBeTriedAgain() bool {
	return s.verdict.Verdict == OK || s.missed != "" && s.verdict.Verdict != Violation
}

// worstRun: a violation before what could not be told, and of violations the worst kind.
func worstRun(runs []struckRun) struckRun {
	return slices.MinFunc(runs, func(a, b struckRun) int { return rank(a.verdict) - rank(b.verdict) })
}

func rank(v Verdict) int {
	switch v.Verdict {
	case Violation:
		return severity(v)
	case Unknown:
		return 100
	}
	return 101
}

// stretches are neighbours with the same verdict and kind.
func stretches(runs []struckRun) (all [][]struckRun) {
	for _, r := range runs {
		if n := len(all); n > 0 && all[n-1][0].verdict.Verdict == r.verdict.Verdict && all[n-1][0].verdict.Kind == r.verdict.Kind {
			all[n-1] = append(all[n-1], r)
			continue
		}
		all = append(all, []struckRun{r})
	}
	return all
}

// stretchText is one sentence: where the window is, and what happens in it.
func stretchText(s []struckRun) string {
	first, last := s[0], s[len(s)-1]
	switch {
	case first.verdict.Verdict == Unknown && first.missed != "":
		return first.verdict.Why
	case first.where == last.where: // also of a pair's first place, which is struck alone twice
		return fmt.Sprintf("struck %s: %s", first.where, first.verdict.Why)
	}
	return fmt.Sprintf("struck anywhere from %s to %s: %s", first.where, last.where, first.verdict.Why)
}

// stepFacts are what was recorded, and one line for each place: in which order claim,
// effect and completion come is seen at a glance.
func stepFacts(p Planned, events []Event) []string {
	told := []string{}
	for _, e := range events {
		if e.Event == EventRecorded {
			told = append(told, e.Detail)
		}
	}
	for _, r := range judged(p, events) {
		told = append(told, fmt.Sprintf("%s: %s", cmp.Or(r.missed, r.where), placeText(p, r)))
	}
	return append(told, queueFacts(events)...)
}

func placeText(p Planned, r struckRun) string {
	text := ""
	for _, e := range r.events {
		if !e.isLook() || e.Seen.When != SeenFault && e.Seen.When != SeenEnd {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += factOf(p, *e.Seen)
	}
	if r.verdict.Verdict != OK {
		text += " — " + label(r.verdict.Verdict, r.verdict.Kind)
	}
	return text
}
