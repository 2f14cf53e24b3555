package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/scan"
)

// notes are what the reader must know about how it was read.
func notes(r *scan.Result, o Options) (s Section) {
	s.Title = "how it was read"
	for _, kind := range r.Kinds() {
		s.Lines = append(s.Lines, fmt.Sprintf("left out: %s, %s", number(r.Left[kind]), kind))
	}
	if n := r.Identical.OtherFile; n > 0 {
		s.Lines = append(s.Lines, some(n, "line")+" found in another file, too, word for word: counted once")
	}
	if n := r.Identical.SameFile; n > 0 {
		s.Lines = append(s.Lines, some(n, "line")+" found twice in the same file, word for word: counted once. Each may be two events that differ in no column that was exported: --keep-identical counts them")
	}
	s.Lines = append(s.Lines, o.Notes...)
	return s
}

func classes(s *scan.Source) Section {
	section := Section{Title: "what the timing says", Rows: [][]string{{"class", "repeats", "gaps", "could be as well"}}}
	for _, class := range repeats.Classes {
		t := s.Classes[class]
		if t == nil {
			continue
		}
		section.Rows = append(section.Rows, []string{class.Name(), number(t.Repeats), gapsOf(t), unsure(t)})
	}
	return section
}

func gapsOf(t *repeats.ClassTally) string {
	if t.Shortest == t.Longest {
		return repeats.Length(t.Shortest)
	}
	return repeats.Length(t.Shortest) + " to " + repeats.Length(t.Longest)
}

// unsure names what the repeats of a class could be as well.
func unsure(t *repeats.ClassTally) string {
	if t.Unsure == 0 {
		return ""
	}
	var parts []string
	for _, class := range slices.SortedFunc(maps.Keys(t.Also), func(a, b repeats.Class) int { return mostFirst(t.Also[a], t.Also[b], a, b) }) {
		parts = append(parts, fmt.Sprintf("%s (%s)", class.Name(), number(t.Also[class])))
	}
	return strings.Join(parts, ", ")
}

func mostFirst[T ~string](a, b int, nameA, nameB T) int {
	if a != b {
		return b - a
	}
	return strings.Compare(string(nameA), string(nameB))
}

// patterns are what only shows in the whole, with the evidence of each class.
func patterns(s *scan.Source, o Options) Section {
	section := Section{Title: "what it means, and the evidence"}
	for _, class := range repeats.Classes {
		t := s.Classes[class]
		if t == nil {
			continue
		}
		line := class.Name() + ": " + class.Meaning() + ". Such as: " + t.Example
		if len(t.Lengths) > 1 || len(t.Lengths) > 0 && class != repeats.MaybeLegitimate {
			line += " (" + lengths(t.Lengths) + ")"
		}
		section.Lines = append(section.Lines, line)
	}
	for _, timeout := range s.Context.Timeouts {
		section.Lines = append(section.Lines, pile(timeout))
	}
	if n := len(s.Context.Bursts); n > 0 {
		most := slices.MaxFunc(s.Context.Bursts, func(a, b repeats.Burst) int { return a.References - b.References })
		section.Lines = append(section.Lines, fmt.Sprintf("moments at which many references repeated: %s; at the largest, %s did", number(n), number(most.References)))
	}
	section.Lines = append(section.Lines, deploys(s.Context.Deploys)...)
	if s.Same+s.Other == 0 {
		section.Lines = append(section.Lines, "no message ids were read: with --message-id a message that came again is told from one that was enqueued again")
	}
	if o.Queue == "" {
		section.Lines = append(section.Lines, "the queue was not named: --queue sidekiq, celery or sqs leaves out what the others do")
	}
	return section
}

func lengths(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return mostFirst(of[a], of[b], a, b) })
	more := ""
	if len(names) > 8 {
		names, more = names[:8], ", …"
	}
	for i, name := range names {
		names[i] = name + ": " + number(of[name])
	}
	return strings.Join(names, ", ") + more
}

func pile(t repeats.Timeout) string {
	what := "gaps pile up at " + repeats.Length(t.Length)
	if t.Given {
		what = "visibility timeout as given, " + repeats.Length(t.Length)
	}
	return fmt.Sprintf("%s: %s of that length, or a multiple, and what a run takes", what, some(t.Gaps, "gap"))
}

func deploys(d repeats.Deploys) []string {
	if len(d.At) == 0 {
		return nil
	}
	line := fmt.Sprintf("deploys: %s; %.0f %% of the repeats over 2 s lie beside one, by chance %.0f %% would: ", number(len(d.At)), 100*d.Share, 100*d.Chance)
	if d.Cluster() {
		return []string{line + "they go together"}
	}
	return []string{line + "that shows nothing"}
}
