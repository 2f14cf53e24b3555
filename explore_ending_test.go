package twiceproof

import "github.com/twiceproof/twiceproof/job"

// acts is the body's call, and what it says of it.
func (m *model) acts(w world, i int, to emit) {
	who := int8(i + 1)
	if w.workers[i].stopped {
		w.slips++
		w.workers[i].stopped = false
	}
	done := w.workers[i]
	done.at, done.completion, done.acted, done.left = ending, number(completionNames, completionActed), true, 0
	s := w
	m.effect(&s)
	s.workers[i] = done
	to(event{what: "acts", who: who}, s)
	fault(w, "acts, and nobody can tell whether it was applied; it was", who, to, func(s *world) {
		m.effect(s)
		s.workers[i].acted = true
		m.givesUp(&s.workers[i], 0)
	})
	fault(w, "acts, and nobody can tell whether it was applied; it was not", who, to, func(s *world) {
		if m.wrong.unknownIsDone {
			s.workers[i] = done
			return
		}
		m.givesUp(&s.workers[i], 0)
	})
	fault(w, "is told that nothing was applied", who, to, func(s *world) { s.workers[i].at, s.workers[i].left = releasing, 0 })
}

// effect is the outside service's side. With a reference that it remembers it does
// nothing a second time.
func (m *model) effect(w *world) {
	if m.is(job.Resend) && w.effects > 0 && w.effectAge < m.window {
		return
	}
	w.effects++
	if w.effects == 1 && m.is(job.Lookup) {
		w.hidden = m.settle + 1 // made at the end of this tick, and shown at the end of the last
	}
}

// writes are the statements on the way to the end of a claim.
func (m *model) writes(w world, i int, to emit) {
	p := w.workers[i]
	v := verb{token: p.token}
	switch p.at {
	case counted:
		v.do, v.acts = vActAgain, p.acts
		m.sends(w, i, "counts a further attempt", v, to, func(p *worker, mine bool) {
			if p.at = entering; !mine {
				*p = worker{}
			}
		})
	case ending:
		v.do, v.completion = vComplete, p.completion
		m.sends(w, i, "completes", v, to, func(p *worker, mine bool) {
			if mine {
				m.skips(p, true)
				return
			}
			p.at = reading
		})
	case releasing:
		v.do, v.fresh = vRelease, w.fresh()
		m.sends(w, i, "releases", v, to, func(p *worker, _ bool) { *p = worker{} })
	case giving:
		v.do, v.pause, v.lookups = vGiveUp, p.pause, p.failed
		w.hidden = min(w.hidden, m.settle) // it was made before
		m.sends(w, i, "gives up", v, to, func(p *worker, mine bool) {
			if mine {
				*p = worker{}
				return
			}
			p.at, p.late = reading, true
		})
	case late:
		v.do = vLateFinish
		m.sends(w, i, "says that it finished late", v, to, func(p *worker, _ bool) { m.skips(p, p.decided) })
		return
	}
}

// reads is the outcome of a worker whose token did not match.
func (m *model) reads(r rec, p worker) worker {
	over := r.state == isCompleted || r.state == isHeld
	if r.token == p.token { // only the reply of its own write was lost
		over = r.state == isCompleted && !p.late
	}
	m.skips(&p, over)
	return p
}

func (m *model) acks(w world, i int, to emit) {
	if message := w.workers[i].message; message != noMessage {
		w.messages &^= 1 << message
	}
	w.workers[i] = worker{}
	to(event{what: acknowledged, who: int8(i + 1)}, w)
}
