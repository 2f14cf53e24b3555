package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Strike is one run of every_step: where it was struck, and what came of it.
type Strike struct {
	Name, Where string // of the place
	Missed      string // what is said where a fault of it did not fire; empty: all did
	Events      []Event
	Verdict     Verdict
}

// struck are the runs that were struck, or were to be, in order.
func struck(events []Event) (all []Strike) {
	for _, run := range SplitRuns(events) {
		i := slices.IndexFunc(run, func(e Event) bool { return e.Event == EventFault })
		if i < 0 {
			continue // it was recorded
		}
		s := Strike{Name: run[i].What, Where: run[i].Detail, Events: run}
		for _, e := range run {
			if e.Event == EventFault && !e.Fired {
				s.Missed = e.Detail
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
	runs := Strikes(p, events)
	if len(runs) == 0 {
		return cmp.Or(notRead(events), doubt("no step was recorded at which a worker could be struck"))
	}
	worst := worstRun(runs)
	if worst.Verdict.Verdict == OK {
		return worst.Verdict
	}
	v := worst.Verdict
	v.Why = ""
	for _, s := range stretches(runs) {
		if s[0].Verdict.Verdict != v.Verdict || s[0].Verdict.Kind != v.Kind {
			continue
		}
		if v.Why != "" {
			v.Why += "; "
		}
		v.Why += stretchText(s)
	}
	return v
}

// Strikes are the runs of every_step with their verdicts. Of a place that was tried twice the
// last one counts, unless the one before it has struck and is not ok.
func Strikes(p Planned, events []Event) (runs []Strike) {
	for _, run := range struck(events) {
		run.Verdict = judgeOne(p, run.Events)
		if run.Missed != "" && run.Verdict.Verdict != Violation {
			run.Verdict = doubt("%s", run.Missed)
		}
		if n := len(runs); n > 0 && runs[n-1].Name == run.Name && runs[n-1].mayBeTriedAgain() {
			runs = runs[:n-1]
		}
		runs = append(runs, run)
	}
	return runs
}

// mayBeTriedAgain: another run of the same place takes its place.
func (s Strike) mayBeTriedAgain() bool {
	return s.Verdict.Verdict == OK || s.Missed != "" && s.Verdict.Verdict != Violation
}

// worstRun: a violation before what could not be told, and of violations the worst kind.
func worstRun(runs []Strike) Strike {
	return slices.MinFunc(runs, func(a, b Strike) int { return rank(a.Verdict) - rank(b.Verdict) })
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

// stretches are neighbours that end alike.
func stretches(runs []Strike) (all [][]Strike) {
	for _, r := range runs {
		if n := len(all); n > 0 && alike(all[n-1][0], r) {
			all[n-1] = append(all[n-1], r)
			continue
		}
		all = append(all, []Strike{r})
	}
	return all
}

// alike: the verdict, its kind, and of a duplicate how many effects there were.
func alike(a, b Strike) bool {
	return a.Verdict.Verdict == b.Verdict.Verdict && a.Verdict.Kind == b.Verdict.Kind && (a.Verdict.Kind != Duplicate || a.effects() == b.effects())
}

func (s Strike) effects() (most int) {
	for _, e := range s.Events {
		if e.isLook() {
			most = max(most, e.Seen.Effects)
		}
	}
	return most
}

// stretchText is one sentence: where the window is, and what happens in it.
func stretchText(s []Strike) string {
	first, last := s[0], s[len(s)-1]
	switch {
	case first.Verdict.Verdict == Unknown && first.Missed != "":
		return first.Verdict.Why
	case first.Where == last.Where: // also of a pair's first place, which is struck alone twice
		return fmt.Sprintf("struck %s: %s", first.Where, first.Verdict.Why)
	}
	return fmt.Sprintf("struck anywhere from %s to %s: %s", first.Where, last.Where, first.Verdict.Why)
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
	for _, r := range Strikes(p, events) {
		told = append(told, fmt.Sprintf("%s: %s", cmp.Or(r.Missed, r.Where), placeText(p, r)))
	}
	return append(told, queueFacts(events)...)
}

func placeText(p Planned, r Strike) string {
	var seen []string
	for _, e := range r.Events {
		switch {
		case e.Event == EventWaited:
			seen = append(seen, e.Detail)
		case e.isLook() && (e.Seen.When == SeenFault || e.Seen.When == SeenEnd):
			seen = append(seen, factOf(p, *e.Seen))
		}
	}
	text := strings.Join(seen, "; ")
	if r.Verdict.Verdict != OK {
		text += " — " + Label(r.Verdict.Verdict, r.Verdict.Kind)
	}
	return text
}
