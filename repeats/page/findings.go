package page

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/scan"
)

func alikes(r *scan.Result, o Options) (s Section) {
	a := r.Alikes
	if a.Families == 0 {
		return s
	}
	s.Title = "references that look alike"
	s.Lines = append(s.Lines, fmt.Sprintf("references that have others of the same look: %s; they were counted as different. They differ in %s", number(a.Families), lengths(a.Kinds)))
	if o.Share {
		return s
	}
	for _, pair := range a.Examples {
		x, y := repeats.CodePoints(pair.A, pair.B)
		if !o.Show && max(len(strings.Fields(x)), len(strings.Fields(y))) > fewCodePoints { // in wide letters it would be all of it
			continue
		}
		line := fmt.Sprintf("one has %s where the other has %s (%s)", x, y, strings.Join(repeats.Kinds(pair.A, pair.B), ", "))
		if o.Show {
			line = whole(strconv.QuoteToASCII(pair.A)) + " and " + whole(strconv.QuoteToASCII(pair.B)) + ": " + line
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// fewCodePoints are no reference yet, but what two differ in.
const fewCodePoints = 2

func joined(r *scan.Result) (s Section) {
	j := r.Joined
	if j == nil {
		return s
	}
	s.Title = "the two sources beside each other, by reference"
	s.Rows = [][]string{
		{"references", "number", "what it means"},
		{"once in each", number(j.Both), ""},
		{"repeated in the second only", number(j.RepeatedSecond), "effects outside that the first source does not show"},
		{"repeated in the first only", number(j.RepeatedFirst), "the first has rows that were no effects, or the second stopped them"},
		{"repeated in both", number(j.RepeatedBoth), ""},
		{"only in the first", number(j.OnlyFirst), outside(j.OutsideFirst)},
		{"only in the second", number(j.OnlySecond), outside(j.OutsideSecond)},
	}
	middle, zone := j.Apart()
	if j.Both > 0 {
		later := "later"
		if middle < 0 {
			middle, later = -middle, "earlier"
		}
		s.Lines = append(s.Lines, fmt.Sprintf("in the middle the second has the same reference %s %s than the first", repeats.Length(middle), later))
	}
	if zone {
		s.Lines = append(s.Lines, "that looks like two time zones: give --zone for the one without, or --join-zone")
	}
	if j.Both+j.RepeatedBoth+j.RepeatedFirst+j.RepeatedSecond == 0 {
		s.Lines = append(s.Lines, "no reference is in both: are these the same references?")
	}
	return s
}

func outside(n int) string {
	if n == 0 {
		return ""
	}
	return number(n) + " of them outside the time that both cover"
}

func keys(r *scan.Result) (s Section) {
	k := r.Key
	if k == nil {
		return s
	}
	s.Title = "the operation key, held against what happened"
	s.Rows = [][]string{
		{"", "number", "what it means"},
		{"repeats with the same key", number(k.Stopped), "the guard would have stopped them"},
		{"repeats with another key", number(k.Missed), "it would not have: the key splits " + some(k.Split, "reference")},
		{"keys with several references", number(k.Merged), "it would have made one operation of several: the later ones would be lost"},
		{"keys with other content far apart", number(k.MergedByContent), "perhaps several operations under one key"},
	}
	for _, why := range slices.Sorted(maps.Keys(k.Unusable)) {
		s.Rows = append(s.Rows, []string{"no key: " + why, number(k.Unusable[why]), "refused before the claim"})
	}
	return s
}

// examples show values: only when they were asked for.
func examples(source *scan.Source, r *scan.Result, i int) (s Section) {
	s.Title = which(r, i) + "the references with the most events"
	for _, e := range source.Examples {
		s.Lines = append(s.Lines, fmt.Sprintf("%s: %d events, the first at %s", printable(e.Group.Reference), len(e.Group.Events), moment(e.Group.Events[0].At)))
		for n, f := range e.Findings {
			if n == 10 {
				s.Lines = append(s.Lines, fmt.Sprintf("  … and %d more", len(e.Findings)-n))
				break
			}
			s.Lines = append(s.Lines, "  "+moment(f.At)+"  "+f.Class.Name()+": "+f.Why()+orElse(f.Also))
		}
	}
	return s
}

func orElse(also []repeats.Class) string {
	if len(also) == 0 {
		return ""
	}
	names := make([]string, len(also))
	for i, c := range also {
		names[i] = c.Name()
	}
	return "; could be " + strings.Join(names, " or ") + " as well"
}

// printable: a reference may hold what a terminal obeys, or what nobody sees.
func printable(s string) string {
	if visible.Line(s) != s || strings.Join(strings.Fields(s), " ") != s {
		return whole(strconv.Quote(s))
	}
	return s
}

// whole keeps two blanks two where lines are wrapped.
func whole(quoted string) string { return strings.ReplaceAll(quoted, "  ", `\x20\x20`) }
