package job

// EndsTwice is Ends for an operation whose next worker, which followed the policy,
// died as well: after the first died at that moment. A budget is per operation, so
// one duplicate stays one, and whoever has used it up is held.
func (j Job) EndsTwice(at Moment) []End {
	if j.Stale.Policy != AcceptDuplicate || j.Effect.Kind == OwnRow || at.Completed || !at.Claimed {
		return j.Ends(at)
	}
	var ends []End
	for effects := count(at.Effect); effects <= 2; effects++ {
		ends = append(ends, End{effects, EndHeld})
		if effects > 0 {
			ends = append(ends, End{effects, EndCompleted})
		}
	}
	return ends
}
