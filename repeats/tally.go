package repeats

import (
	"slices"
	"time"
)

// Tally adds up the findings.
type Tally struct {
	Repeats    int
	References int         // with a repeat
	Times      map[int]int // how many references have so many events
	Classes    map[Class]*ClassTally
	Gaps       Histogram
	Same       int // repeats whose message id is the same
	Other      int
	Examples   []Example
	Limit      int // of the examples
}

// ClassTally is of one class.
type ClassTally struct {
	Repeats  int
	Unsure   int            // of which could be something else as well
	Also     map[Class]int  // and what
	Shortest time.Duration  // gap
	Longest  time.Duration  // gap
	Lengths  map[string]int // visibility timeouts, retries or reasons, by their name
	Example  string         // the evidence of one with the shortest gap
}

// Example is a reference that repeats, with its findings.
type Example struct {
	Group    Group
	Findings []Finding
}

// Add classifies a group's repeats and adds them up.
func (t *Tally) Add(c *Context, g Group) {
	if len(g.Events) < 2 {
		return
	}
	if t.Classes == nil {
		t.Classes, t.Times = map[Class]*ClassTally{}, map[int]int{}
	}
	t.References++
	t.Times[len(g.Events)]++
	kept := t.wants(g)
	var findings []Finding
	for i := 1; i < len(g.Events); i++ {
		f := c.Classify(g, i)
		t.add(f)
		if kept && len(findings) < 1000 {
			findings = append(findings, f)
		}
	}
	if kept {
		t.keep(Example{Group{g.Reference, slices.Clone(g.Events)}, findings})
	}
}

func (t *Tally) add(f Finding) {
	t.Repeats++
	t.Gaps.Add(f.Gap)
	if f.Same {
		t.Same++
	}
	if f.Other {
		t.Other++
	}
	of := t.Classes[f.Class]
	if of == nil {
		of = &ClassTally{Shortest: f.Gap, Also: map[Class]int{}, Lengths: map[string]int{}, Example: f.Why()}
		t.Classes[f.Class] = of
	}
	if f.Gap < of.Shortest { // of the shortest, so that it does not matter which came first
		of.Example = f.Why()
	} else if f.Gap == of.Shortest {
		of.Example = min(of.Example, f.Why())
	}
	of.Repeats++
	of.Shortest, of.Longest = min(of.Shortest, f.Gap), max(of.Longest, f.Gap)
	if len(f.Also) > 0 {
		of.Unsure++
	}
	for _, also := range f.Also {
		of.Also[also]++
	}
	if name := f.detail(); name != "" {
		of.Lengths[name]++
	}
}

// detail is what a class is broken down by.
func (f Finding) detail() string {
	switch f.Class {
	case VisibilityTimeout:
		return Length(f.Timeout) + " × " + digits(f.Multiple)
	case SidekiqRetry:
		return "retry " + digits(f.Count)
	case MaybeLegitimate:
		return reasonWords[f.Reason]
	}
	return ""
}

// wants: those with the most events are kept as examples.
func (t *Tally) wants(g Group) bool {
	return t.Limit > 0 && (len(t.Examples) < t.Limit || byEvents(Example{Group: g}, t.Examples[len(t.Examples)-1]) < 0)
}

// keep puts an example in its place: more events first, and then by name, so that it
// does not matter in which order the groups came.
func (t *Tally) keep(e Example) {
	i, _ := slices.BinarySearchFunc(t.Examples, e, byEvents)
	t.Examples = slices.Insert(t.Examples, i, e)
	t.Examples = t.Examples[:min(len(t.Examples), t.Limit)]
}

func byEvents(a, b Example) int {
	if d := len(b.Group.Events) - len(a.Group.Events); d != 0 {
		return d
	}
	return compare(a.Group.Reference, b.Group.Reference)
}
