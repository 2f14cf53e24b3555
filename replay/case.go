package replay

import (
	"context"
	"slices"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// Case is one kind of trouble that every job goes through, at one point where it
// has several.
type Case struct {
	Name, Point string
	// What happens, and when it is ok; for the plan and the report.
	What, OK string
	// Races: it is run again and again, and only overlapped runs count.
	Races bool
	// only are the queues whose jobs go through it; empty: all.
	only []job.Queue
	// at is where on the wire the fault strikes; nil where it is not on the wire.
	at *faultPoint
	// service is what goes wrong at the outside service.
	service outside.Kind
	// actsFirst: the outside service has acted by the time of the fault.
	actsFirst bool
	// onClaim: the case is about a claim, so there must be one.
	onClaim bool
	// fault says in words what must have happened, or the case proves nothing.
	fault string
	// also are ends that the case permits beside those of the policy, instead are
	// ends in their place.
	also, instead func(job.Job, job.Moment) []job.End
	// unfit says why a job or a version cannot be put through it, before anything
	// runs; empty when it can.
	unfit  func(setting) string
	script func(context.Context, *world) error
}

// Label names the case in a control and for --only.
func (c Case) Label() string { return judge.Label(c.Name, c.Point) }

// theCase finds the case of a plan's line.
func theCase(p judge.Planned) Case {
	cases := Cases()
	return cases[slices.IndexFunc(cases, func(c Case) bool { return c.Name == p.Case && c.Point == p.Point })]
}
