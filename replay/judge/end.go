package judge

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
)

func tooMuchEnd(p Planned, end, fault Seen) Verdict {
	least, most := bounds(p.ends(fault.Moment()))
	switch {
	case end.Effects > most && end.Effects > 1:
		return violates(Duplicate, "%d effects, permitted %s", end.Effects, effectsText(least, most))
	case end.Effects > most:
		return violates(AgainstPolicy, "%d effect, permitted %s", end.Effects, effectsText(least, most))
	case p.Guarded && end.Records > 1:
		return violates(AgainstPolicy, "%d records for one operation: the unique key is not there", end.Records)
	}
	return Verdict{}
}

// tooMuchAfter: what a worker does when the message is done with is its effect, too.
func tooMuchAfter(p Planned, after, fault Seen) Verdict {
	v := tooMuchEnd(p, after, fault)
	if v.Verdict != "" {
		v.Why += "; not all of them were there when the message was done with"
	}
	return v
}

func tooLittleEnd(p Planned, end, fault Seen) Verdict {
	if p.Guarded && end.Effects == 0 && end.State == job.EndCompleted && end.Completion != "assumed" {
		return violates(Lost, "completed as %s without an effect: the record hides the miss", end.Completion)
	}
	ends := p.ends(fault.Moment())
	if slices.ContainsFunc(ends, func(e job.End) bool { return matches(p, e, end) }) {
		return Verdict{}
	}
	least, most := bounds(ends)
	switch {
	case end.Queued > 0:
		return violates(Stuck, "%s and the record %s, while its message goes round on the queue", effectCount(end.Effects), stateText(end))
	case end.Effects < least, end.State == "claimed":
		return violates(Lost, "%s, permitted %s; the record is %s and no message is left", effectCount(end.Effects), effectsText(least, most), stateText(end))
	}
	return violates(AgainstPolicy, "%s and the record %s, permitted %s", effectCount(end.Effects), stateText(end), endsText(ends))
}

func matches(p Planned, e job.End, s Seen) bool {
	if s.Effects != e.Effects || s.Queued > 0 {
		return false
	}
	return !p.Guarded || s.Records == 1 && s.State == e.State
}
