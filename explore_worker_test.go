package twiceproof

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// work is the next step of one worker on its way through Run, and what can go wrong
// there. A statement has two ways to fail that differ from a death: none was
// executed (the same as not yet), or one was and its reply was lost: sent again.
func (m *model) work(w world, i int, to emit) {
	p := w.workers[i]
	who := int8(i + 1)
	if p.at == idle {
		return
	}
	if p.at != claiming || p.doubt {
		fault(w, died, who, to, func(s *world) { s.workers[i] = worker{} })
	}
	if p.left <= 0 && (p.at == claiming || p.at == handling || p.at == counted) {
		w.workers[i] = worker{} // what is sent for no longer than the lease
		to(event{what: "has no more time to send, and leaves", who: who}, w)
		return
	}
	switch p.at {
	case claiming:
		m.claims(w, i, to)
	case handling:
		m.handles(w, i, to)
	case asking:
		m.asks(w, i, to)
	case counting, entering:
		m.checks(w, i, to)
	case checked:
		m.acts(w, i, to)
	case acking:
		m.acks(w, i, to)
	case reading:
		s := w
		if s.workers[i] = m.reads(w.rec, p); w.rec.token != p.token && !m.wrong.finishesSilently {
			p.at, p.decided = late, w.rec.state == isCompleted || w.rec.state == isHeld
			s.workers[i] = p
		}
		to(event{what: "reads what the record says now", who: who}, s)
	default:
		m.writes(w, i, to)
	}
}

// sends executes a verb and goes on by its answer, or loses the answer.
func (m *model) sends(w world, i int, what string, v verb, to emit, then func(p *worker, matched bool)) {
	s := w
	matched := m.write(&s, v)
	if s.rec != w.rec {
		lost(s, what, int8(i+1), to)
	}
	then(&s.workers[i], matched)
	e := event{what: what, who: int8(i + 1)}
	if !matched {
		e.then = noMatch
	}
	to(e, s)
}

func (m *model) claims(w world, i int, to emit) {
	v := verb{do: vClaim, token: w.workers[i].token, lease: ticksOf(m.job.StoredLease()), policy: number(policyNames, m.job.Stale.Policy), message: 1}
	s := w
	m.write(&s, v) // or finds the record that is there
	if s.rec != w.rec {
		lost(s, "claims", int8(i+1), to)
	}
	p := &s.workers[i]
	r := s.rec.record(modelTick)
	d := m.decide(r, tokenNames[p.token], job.Fingerprint{}, m.job)
	p.seen = m.sees(s.rec, d)
	switch d.next {
	case nextTakeOver, nextHold, nextAssume:
		p.at = handling
	case nextAct:
		m.begins(p, s.rec, p.doubt)
	case nextLive:
		m.skips(p, m.wrong.acksLive)
	default:
		m.skips(p, true)
	}
	to(event{"claims, and sees: ", int8(i + 1), string(d.next)}, s)
}

func (m *model) sees(r rec, d decision) seen {
	return seen{
		next: number(nextNames, d.next), reason: number(reasonNames, d.reason), token: r.token, acts: r.acts, requeues: r.requeues, extra: ticksOf(d.extra),
	}
}

// skips ends a delivery that has nothing to do.
func (m *model) skips(p *worker, acknowledge bool) {
	message := p.message
	*p = worker{}
	if acknowledge {
		p.at, p.message = acking, message
	}
}

// begins: the claim is ours.
func (m *model) begins(p *worker, r rec, takeover bool) {
	p.seen, p.doubt, p.already = seen{}, false, takeover
	p.acts, p.lookups = max(r.acts, 1), r.lookups
	switch {
	case !takeover:
		p.at = entering
	case m.is(job.Lookup):
		p.at = asking
	default:
		p.at = counting
	}
}

func (m *model) handles(w world, i int, to emit) {
	p := w.workers[i]
	v, what := m.handling(p.seen, p.token, w.rec)
	r := w.rec
	m.sends(w, i, what, v, to, func(p *worker, matched bool) {
		switch {
		case !matched:
			if nextNames[p.seen.next] == nextTakeOver && p.seen.acts > 0 && !m.wrong.forgetsDoubt {
				p.doubt = true
			}
			p.at, p.seen = claiming, seen{}
		case v.do == vTakeOver:
			m.begins(p, r, p.seen.acts > 0)
		default:
			m.skips(p, true)
		}
	})
}

// handling is the write of a decision about a stale claim.
func (m *model) handling(s seen, token int8, r rec) (v verb, what string) {
	v = verb{token: s.token, acts: s.acts, policy: number(policyNames, m.job.Stale.Policy)}
	switch nextNames[s.next] {
	case nextTakeOver:
		v.do, v.fresh, v.lease, v.extra = vTakeOver, token, ticksOf(m.job.StoredLease()), s.extra
		return v, "takes over"
	case nextAssume:
		v.do = vAssume
		return v, "takes the effect as done"
	}
	v.do, v.reason = vHold, s.reason
	return v, "holds it"
}

// asks is the look-up after a takeover.
func (m *model) asks(w world, i int, to emit) {
	who := int8(i + 1)
	answer := func(what string, then func(p *worker)) {
		s := w
		then(&s.workers[i])
		to(event{what: what, who: who}, s)
	}
	if w.workers[i].left <= 0 {
		answer("finds its lease over before the look-up", func(p *worker) { m.givesUp(p, 0) })
		return
	}
	if w.effects > 0 {
		answer("looks up: found", func(p *worker) { p.at, p.completion, p.left = ending, number(completionNames, completionFound), 0 })
	}
	if w.effects == 0 || w.hidden > 0 {
		answer("looks up: absent", func(p *worker) { p.at = counting })
	}
	fault(w, "looks up: no answer", who, to, func(s *world) {
		if m.wrong.errorIsAbsent {
			s.workers[i].at = counting
			return
		}
		s.unanswered++
		m.givesUp(&s.workers[i], 1)
	})
}

// givesUp: nobody can tell.
func (m *model) givesUp(p *worker, failed int8) {
	pause := time.Duration(0)
	if m.is(job.Lookup) {
		pause = m.job.Stale.Settle
	}
	if failed > 0 {
		pause = lookUpPause(int(p.lookups), m.job)
	}
	p.at, p.failed, p.pause, p.left = giving, failed, ticksOf(pause), 0
	if m.wrong.releasesInDoubt {
		p.at = releasing
	}
}

// checks are the guard's own looks at its deadline.
func (m *model) checks(w world, i int, to emit) {
	s := w
	p := &s.workers[i]
	over := p.left <= 0 && !m.wrong.checksNot
	what := "is within its lease"
	switch {
	case over && p.at == counting:
		what = "finds its lease over, and gives up"
		m.givesUp(p, 0)
	case over:
		what = "finds its lease over, and releases"
		p.at, p.left = releasing, 0
	case p.at == counting && m.wrong.countsNoFurther:
		p.at = entering
	case p.at == counting:
		p.at = counted
	default:
		p.at = checked
	}
	to(event{what: what, who: int8(i + 1)}, s)
}
