package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity is what a finding can lead to.
type Severity string

// The severities, from worst to mildest.
const (
	Repeats Severity = "repeats" // the effect, or deliveries that only the guard stops
	Loses   Severity = "loses"   // a message or an effect
	Blocks  Severity = "blocks"  // the job gets nowhere
	Note    Severity = "note"    // worth knowing; does not change the exit status
)

var severities = []Severity{Repeats, Loses, Blocks, Note}

// Finding is one thing that is not as it should be.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"`
	What     string   `json:"what"`
	Why      string   `json:"why"`
	Mend     string   `json:"mend"`
	// Voids: while this is so, nothing that a replay has shown holds here.
	Voids bool `json:"voids"`
	// Accepted: the caller has said that it knows.
	Accepted bool `json:"accepted,omitempty"`
}

// Gap is something that could not be checked. It has the name of a finding that may or
// may not be there, or of a whole source: database, queue, celery, sidekiq, job.
type Gap struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	// Matters: without it nobody can say that all is well. What nobody asked to be
	// checked does not.
	Matters bool `json:"matters"`
}

// Report is what an examination gives.
type Report struct {
	Findings []Finding
	Gaps     []Gap
}

// Serious counts the findings that are more than a note and were not accepted.
func (r Report) Serious() (n int) {
	for _, f := range r.Findings {
		if f.Severity != Note && !f.Accepted {
			n++
		}
	}
	return n
}

// Untold says that something that matters could not be checked.
func (r Report) Untold() bool {
	return slices.ContainsFunc(r.Gaps, func(g Gap) bool { return g.Matters })
}

// Accept marks the findings of these names, and gives the names that no finding has.
func (r Report) Accept(ids []string) (unknown []string) {
	for i, f := range r.Findings {
		r.Findings[i].Accepted = slices.Contains(ids, f.ID)
	}
	for _, id := range ids {
		if _, is := entryOf(id); !is {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

// exam collects a report.
type exam struct {
	report Report
	table  string
}

// add writes a finding down; the words that do not depend on the facts are the
// catalogue's.
func (e *exam) add(id, subject, what string, args ...any) {
	entry, is := entryOf(id)
	if !is {
		panic("doctor: no such finding: " + id)
	}
	e.report.Findings = append(e.report.Findings, Finding{
		ID: id, Severity: entry.Severity, Subject: subject, What: fmt.Sprintf(what, args...),
		Why: entry.Why, Mend: strings.ReplaceAll(entry.Mend, "{table}", e.table), Voids: entry.Voids,
	})
}

// gap: whether it matters is the finding's severity.
func (e *exam) gap(id, reason string, args ...any) {
	entry, is := entryOf(id)
	if !is {
		panic("doctor: no such finding: " + id)
	}
	e.report.Gaps = append(e.report.Gaps, Gap{id, fmt.Sprintf(reason, args...), entry.Severity != Note})
}

// sorted: the worst first, in the catalogue's order.
func (r Report) sorted() Report {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)),
			cmp.Compare(placeOf(a.ID), placeOf(b.ID)), cmp.Compare(a.Subject, b.Subject))
	})
	return r
}
