package judge

// tooMuchYoung: a claim within its lease is nobody else's.
func tooMuchYoung(p Planned, look, fault Event, events []Event) Verdict {
	young, then := look.Seen, fault.Seen
	switch {
	case !p.Guarded || then.State != "claimed" || ageAt(events, fault, look) >= ms(then.LeaseMS):
		return Verdict{}
	case young.Effects > then.Effects && young.Effects == 1:
		return violates(AgainstPolicy, "acted on a claim within its lease of %s", ms(then.LeaseMS))
	case young.Effects > then.Effects:
		return violates(Duplicate, "acted on a claim within its lease of %s", ms(then.LeaseMS))
	case young.State == "held", young.State == "completed" && young.Completion == "assumed":
		return violates(AgainstPolicy, "decided about a claim within its lease of %s: the record became %s", ms(then.LeaseMS), stateText(*young))
	case young.Token != then.Token:
		return violates(AgainstPolicy, "took over a claim within its lease of %s", ms(then.LeaseMS))
	}
	return Verdict{}
}

// tooLittleYoung: the message is kept. The queue's own log tells, not the number of
// messages that are left: where the replay has put a second copy on, the first one is
// still there when the second is acknowledged.
func tooLittleYoung(p Planned, look, fault Event, events []Event) Verdict {
	young, then := look.Seen, fault.Seen
	if !p.Guarded || then.State != "claimed" || young.State != "claimed" || young.Token != then.Token {
		return Verdict{}
	}
	if young.Queued == 0 || deletedBetween(events, fault, look) {
		return violates(Lost, "the delivery that met a live claim was acknowledged: the operation is not done")
	}
	return Verdict{}
}

func deletedBetween(events []Event, from, to Event) bool {
	within := false
	for _, e := range events {
		switch {
		case e == to:
			return false
		case e == from:
			within = true
		case within && e.Event == EventQueue && e.What == "deleted":
			return true
		}
	}
	return false
}
