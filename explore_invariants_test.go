package twiceproof

import "github.com/twiceproof/twiceproof/job"

// allowed is how many effects there may be by now.
func (m *model) allowed(w world) int8 {
	switch m.job.Stale.Policy {
	case job.Lookup:
		return 1 + w.slips
	case job.Resend:
		return 1 + w.slips + w.runAgains
	case job.AcceptDuplicate:
		return 2 + 2*w.runAgains
	}
	return 1 + w.runAgains
}

// invariant is a sentence of the guarantee; broken tells whether a step breaks it.
type invariant struct {
	name   string
	broken func(m *model, e event, before, after *world) bool
}

var invariants = []invariant{
	{"no more effects than the policy permits", func(m *model, _ event, _, w *world) bool { return w.effects > m.allowed(*w) }},
	{"no act after the deadline, unless stopped between the check and the call", func(_ *model, e event, b, w *world) bool {
		return b.effects != w.effects && b.workers[e.who-1].left <= 0 && !b.workers[e.who-1].stopped
	}},
	{"no act in doubt under hold and accept_miss", actsInDoubt},
	{"completed as acted or found has an effect", func(_ *model, _ event, _, w *world) bool {
		c := completionNames[w.rec.completion]
		return w.rec.state == isCompleted && (c == completionActed || c == completionFound) && w.effects == 0
	}},
	{"taken as done only under accept_miss", func(m *model, _ event, _, w *world) bool {
		return completionNames[w.rec.completion] == completionAssumed && !m.is(job.AcceptMiss)
	}},
	{"no doubt recorded (acts = 0) means no effect", func(_ *model, _ event, _, w *world) bool {
		return w.rec.state == isClaimed && w.rec.acts == 0 && w.effects > 0 && w.runAgains == 0
	}},
	{"a completed record stays completed", func(_ *model, _ event, b, w *world) bool {
		return b.rec.state == isCompleted && w.rec.state != isCompleted
	}},
	{"a held record is left by a person or its own worker's completion", heldIsLeft},
	{"a claim within its lease is not taken over", func(_ *model, _ event, b, w *world) bool {
		return takenOver(b, w) && b.rec.stale() < 0
	}},
	{"no other claim while its worker may still act", func(_ *model, _ event, b, w *world) bool {
		return takenOver(b, w) && mayStillAct(b)
	}},
	{"a worker whose token is gone changes nothing but late_finish_at", strangerWrites},
	{"who acted and had lost its claim has said so", silentlyLate},
	{"acknowledged means completed or held", func(_ *model, e event, _, w *world) bool {
		return e.what == acknowledged && w.rec.state != isCompleted && w.rec.state != isHeld && w.runAgains == 0
	}},
	{"takeovers of vanished workers within their budget", func(_ *model, _ event, _, w *world) bool { return w.vanishings > budget }},
	{"who handed in its claim is not counted as vanished", func(_ *model, _ event, b, w *world) bool {
		return b.handedIn && w.rec.vanished > b.rec.vanished
	}},
	{"look-ups without an answer within their budget", func(_ *model, _ event, _, w *world) bool { return w.rec.lookups > budget }},
	{"look-ups without an answer are counted once", func(_ *model, _ event, _, w *world) bool { return w.rec.lookups > w.unanswered }},
	{"put backs within their budget", func(_ *model, _ event, _, w *world) bool { return w.puts > budget }},
	{"a decision is on the hold that was seen", otherHold},
}

func heldIsLeft(_ *model, _ event, b, w *world) bool {
	if b.rec.state != isHeld || w.rec.state == isHeld || b.persons != w.persons {
		return false
	}
	for _, p := range b.workers {
		if p.at == ending && p.token == b.rec.token {
			return false
		}
	}
	return true
}

// takenOver: a release names another token too, but has given up.
func takenOver(b, w *world) bool {
	return b.rec.state == isClaimed && w.rec.state == isClaimed && b.rec.token != w.rec.token && !w.rec.givenUp
}

func mayStillAct(b *world) bool {
	for _, p := range b.workers {
		if p.at >= asking && p.at <= checked && p.token == b.rec.token && p.left > 0 {
			return true
		}
	}
	return false
}

// strangerWrites: claiming and handling show what was read, not an own token.
func strangerWrites(_ *model, e event, b, w *world) bool {
	if e.who <= 0 {
		return false
	}
	p := b.workers[e.who-1]
	if p.at < asking || p.token == b.rec.token {
		return false
	}
	before, after := b.rec, w.rec
	before.late, before.lateFor, after.late, after.lateFor = false, 0, false, 0
	return before != after
}

func silentlyLate(_ *model, e event, b, w *world) bool {
	if e.who <= 0 || e.what == died {
		return false
	}
	p, now := b.workers[e.who-1], w.workers[e.who-1]
	return p.acted && !now.acted && p.token != b.rec.token && !w.rec.late
}

func actsInDoubt(m *model, e event, b, w *world) bool {
	if e.who <= 0 || b.effects == w.effects {
		return false
	}
	return b.workers[e.who-1].already && (m.is(job.Hold) || m.is(job.AcceptMiss))
}

func otherHold(_ *model, e event, b, w *world) bool {
	if e.who >= 0 || b.rec == w.rec {
		return false
	}
	hold := b.persons[-e.who-1]
	return hold > 0 && hold != b.rec.hold
}
