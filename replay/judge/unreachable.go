package judge

// actedBlind: without a claim nobody may act.
func actedBlind(down Seen) Verdict {
	if down.Effects > 0 {
		return violates(AgainstPolicy, "acted without a claim: %s while the database could not be reached", effectCount(down.Effects))
	}
	return Verdict{}
}

// lostBlind: what nobody could claim stays on the queue.
func lostBlind(down Seen) Verdict {
	if down.Queued == 0 {
		return violates(Lost, "the message was acknowledged while the database could not be reached")
	}
	return Verdict{}
}
