package replay

import (
	"context"
	"slices"

	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/wire"
)

// Case is one kind of trouble that every job goes through.
type Case struct {
	Name string
	// What happens, and when it is ok; for the plan and the report.
	What, OK string
	// Races: it is run again and again, and only overlapped runs count.
	Races bool
	// fault is where the worker is killed; nil where it is not.
	fault  *faultPoint
	script func(context.Context, *world) error
}

// faultPoint is a place on the wire, so that it is the same for code that nobody
// here wrote.
type faultPoint struct {
	name  string
	match func(wire.Step) bool
	side  wire.Side
}

func (w *world) isEffect(s wire.Step) bool { return s.Peer == peerOutside && s.Text == w.effectStep }

const peerOutside = "outside"

// The points. The effect's own step is named by the replay file, so its match is
// filled in by the world.
var (
	beforeEffect          = &faultPoint{name: "before the effect's request goes out", side: wire.Before}
	afterEffect           = &faultPoint{name: "after the effect's reply came back, before the worker has it", side: wire.After}
	beforeAcknowledgement = &faultPoint{name: "before the acknowledgement goes out", side: wire.Before, match: sqs.IsAcknowledgement}
)

func caseNamed(name string) Case {
	cases := Cases()
	return cases[slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })]
}

func (w *world) caseFault() *faultPoint { return caseNamed(w.plan.Case).fault }

// Cases are the cases in the order of the report.
func Cases() []Case {
	return []Case{
		{
			Name: "sequential", script: sequential,
			What: "the same message delivered 3 times, one after another, and once more past the lease",
			OK:   "1 effect; with a guard 1 record, completed",
		},
		{
			Name: "concurrent", script: concurrent, Races: true,
			What: "the same message to two running workers at once, in turn as one message id twice and as two ids",
			OK:   "1 effect in every run in which both had received it and neither had settled it",
		},
		{
			Name: "killed_after_claim", script: killed, fault: beforeEffect,
			What: "SIGKILL " + beforeEffect.name + "; redelivery past the lease",
			OK:   "what the policy states",
		},
		{
			Name: "killed_after_effect", script: killed, fault: afterEffect,
			What: "SIGKILL " + afterEffect.name + "; redelivery past the lease",
			OK:   "what the policy states",
		},
		{
			Name: "killed_after_completion", script: killed, fault: beforeAcknowledgement,
			What: "SIGKILL " + beforeAcknowledgement.name + "; redelivery past the lease",
			OK:   "1 effect",
		},
		{
			Name: "young_claim", script: youngClaim, fault: beforeEffect,
			What: "SIGKILL " + beforeEffect.name + "; redelivery while the claim is younger than its lease, and again past it",
			OK:   "not taken over and not lost while it is young: put back; afterwards what the policy states",
		},
		{
			Name: "old_claim", script: oldClaim, fault: beforeEffect,
			What: "SIGKILL " + beforeEffect.name + "; redeliveries until just before the end of the lease, then one just past it",
			OK:   "handled by the policy, never skipped for ever",
		},
		{
			Name: "two_operations", script: twoOperations,
			What: "operations whose keys differ in one character, in case, in a trailing space and in Unicode form",
			OK:   "1 effect each",
		},
	}
}
