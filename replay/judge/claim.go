package judge

import "time"

// wrongPolicy comes before the lease, which is another one, too, and would be named
// without its reason. Counter-example: a replay under another policy than the job file's,
// of a worker that does not read the file that it is given.
func wrongPolicy(p Planned, fault Seen) Verdict {
	if p.Guarded && p.Policy != "" && fault.State == "claimed" && fault.Policy != "" && fault.Policy != p.Policy {
		return violates(AgainstPolicy, "the claim was made under the policy %s, and %s is replayed: the worker does not follow the job file that environment.job_file gives it", fault.Policy, p.Policy)
	}
	return Verdict{}
}

// wrongLease: the young and the old claim are measured by the agreed lease, not by
// the one that the worker wrote.
func wrongLease(p Planned, fault Seen) Verdict {
	longest := p.StoredLeaseMS + max(0, fault.ClaimAgeMS) // renewed just now
	if p.Guarded && fault.State == "claimed" && !fault.GivenUp && p.StoredLeaseMS > 0 && (fault.LeaseMS < p.StoredLeaseMS || fault.LeaseMS > longest) {
		return violates(AgainstPolicy, "the claim's lease is %s, by the job file it is %s", ms(fault.LeaseMS), ms(p.StoredLeaseMS))
	}
	return Verdict{}
}

// bornOld: a claim cannot be older than its case. One that is was written by another
// clock than the database's. A minute is left for a machine that sets its own.
func bornOld(p Planned, look Event, events []Event) Verdict {
	age, most := ms(look.Seen.ClaimAgeMS), ms(look.MS)+time.Minute
	for _, e := range events {
		if e == look {
			break
		}
		if e.Event == EventPassed {
			most += ms(e.ForMS)
		}
	}
	if p.Guarded && look.Seen.State == "claimed" && (age > most || age < -time.Minute) {
		if p.Point == ClocksApart && hidesClock(events) != "" {
			return Verdict{} // unproved says so
		}
		return violates(AgainstPolicy, "a new claim is %s old by the database's clock: another clock wrote it", age)
	}
	return Verdict{}
}

// lateChange: a worker whose claim was taken over changes nothing any more, and the
// record says that it came back. One that had none yet merely meets another one's.
func lateChange(end, taken, fault Seen) Verdict {
	switch {
	case taken.When == "" || taken.Token == fault.Token:
		return Verdict{}
	case end.State != taken.State || end.Completion != taken.Completion || end.Token != taken.Token:
		return violates(AgainstPolicy, "a worker that had lost its claim changed the record from %s (%s) to %s (%s)",
			taken.State, taken.Completion, end.State, end.Completion)
	case !end.Late && fault.Token != "":
		return violates(AgainstPolicy, "a worker that had lost its claim came back, and the record does not say so")
	}
	return Verdict{}
}
