package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// only keeps the cases that are named, each once and in the plan's order: as case or
// case/point, or either behind its version. A case stands for all its points; with a /
// at its end for the one that has none.
func only(cases []judge.Planned, names []string) ([]judge.Planned, error) {
	if len(names) == 0 {
		return cases, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(cases, func(c judge.Planned) bool { return isNamed(c, name) }) {
			return nil, &hinted.Error{What: fmt.Sprintf("there is no case %q", name), Hint: nearHint(cases, name)}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(cases), func(c judge.Planned) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return isNamed(c, name) })
	})
	for i := range kept {
		kept[i].Places = placesOf(kept[i], names)
	}
	return kept, nil
}

// placesOf are the places of every_step that are named; none when all of it is.
func placesOf(p judge.Planned, names []string) (places []string) {
	for _, name := range names {
		name = strings.TrimPrefix(name, p.Version+"/")
		place, cut := strings.CutPrefix(name, judge.EveryStep+"/")
		switch {
		case p.Case != judge.EveryStep, !cut && name != judge.EveryStep:
		case place == "" || !cut:
			return nil
		default:
			places = append(places, place)
		}
	}
	return places
}

func isNamed(p judge.Planned, name string) bool {
	name = strings.TrimPrefix(name, p.Version+"/")
	return slices.Contains([]string{p.Case, p.Label(), p.Case + "/" + p.Point}, name) ||
		p.Case == judge.EveryStep && placeName.MatchString(name)
}

var placeName = regexp.MustCompile(`^every_step/(write-)?[0-9]+-(before|after)(\+(write-)?[0-9]+-(before|after))?$`)

// onlyName names this case and no other one.
func onlyName(q job.Queue, p judge.Planned) string {
	points := func(c Case) bool { return c.Name == p.Case && c.Point != "" }
	if p.Point == "" && slices.ContainsFunc(CasesOf(q), points) {
		return p.Case + "/"
	}
	return p.Label()
}

// nearHint names the cases that begin or go on like what was written, or else that
// differ from it in a few letters, or else all.
func nearHint(cases []judge.Planned, name string) string {
	_, typed, versioned := strings.Cut(name, "/")
	if !versioned || !slices.ContainsFunc(cases, func(c judge.Planned) bool { return strings.HasPrefix(name, c.Version+"/") }) {
		typed = name
	}
	all := caseNames(cases)
	near := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return typed == "" || !strings.Contains(c, typed) })
	if len(near) == 0 {
		near = slices.DeleteFunc(slices.Clone(all), func(c string) bool { return levenshtein.ComputeDistance(c, typed) > 2 })
	}
	if len(near) == 0 {
		return "the cases are " + strings.Join(all, ", ")
	}
	return "did you mean " + strings.Join(near, ", ") + "?"
}

func caseNames(cases []judge.Planned) []string {
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, c.Label()) {
			names = append(names, c.Label())
		}
	}
	return names
}
