package job

func (j Job) checkPolicy(p *Problems) {
	s := j.Stale
	switch j.Effect.Kind {
	case OwnRow:
		p.check(s == Stale{}, "stale_claim", "an own row takes no policy",
			"leave it out: a killed job's row is rolled back together with its claim")
	case Outside:
		j.checkOutside(p)
	}
}

func (j Job) checkOutside(p *Problems) {
	s := j.Stale
	switch s.Policy {
	case Lookup, Resend, Hold, AcceptDuplicate, AcceptMiss:
	default:
		p.add("stale_claim.policy", oneOf(s.Policy, "policy"), "write lookup, resend, hold, accept_duplicate or accept_miss")
		return
	}
	p.check(s.MaxTakeovers >= 0, "stale_claim.max_takeovers", "must not be negative", "leave it out for 5")
	p.check(s.MaxLookups >= 0, "stale_claim.max_lookups", "must not be negative", "leave it out for 5")
	j.checkLookup(p)
	j.checkResend(p)
}

func (j Job) checkLookup(p *Problems) {
	s := j.Stale
	if s.Policy == Lookup {
		p.check(s.Settle > 0, "stale_claim.settle", "lookup needs a settle time",
			"write how long the service needs until a look-up shows a call, such as 30s")
		return
	}
	p.check(s.Settle == 0, "stale_claim.settle", "only lookup has a settle time", "leave it out, or write policy: lookup")
	p.check(s.MaxLookups <= 0, "stale_claim.max_lookups", "only lookup looks up", "leave it out, or write policy: lookup")
}

func (j Job) checkResend(p *Problems) {
	s := j.Stale
	if s.Policy != Resend {
		p.check(s.ReferenceWindow == 0, "stale_claim.reference_window", "only resend has a reference window",
			"leave it out, or write policy: resend")
		return
	}
	p.check(s.ReferenceWindow > j.Lease, "stale_claim.reference_window", "resend needs a reference window longer than the lease",
		"write how long the service remembers a reference, such as 24h")
}
