package replay

import "github.com/twiceproof/twiceproof/replay/judge"

// shows is what must be true at the case's fault. Of an own row nobody sees anything
// before its COMMIT.
func (c Case) shows(s setting) (all []judge.Fact) {
	outside := !s.ownRow()
	add := func(f judge.Fact, when bool) {
		if when {
			all = append(all, f)
		}
	}
	switch {
	case c.at == afterEffect, c.actsFirst:
		add(judge.FactEffect, outside)
	case c.at == beforeEffect:
		add(judge.FactNoEffect, true)
	case c.at == beforeAcknowledgement:
		add(judge.FactEffect, true)
	}
	add(judge.FactCompletion, s.guarded && (c.at == beforeAcknowledgement || c.at == afterCompletion))
	add(judge.FactRecord, s.guarded && outside && (c.at == afterClaim || c.onClaim))
	return all
}
