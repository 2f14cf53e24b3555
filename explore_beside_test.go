package twiceproof

import "github.com/twiceproof/twiceproof/job"

// wrong are the ways of being wrong that are not in decide or apply.
type wrong struct {
	acksLive, forgetsDoubt, errorIsAbsent, releasesInDoubt, countsNoFurther, finishesSilently, marksNot, checksNot, losesAll, unknownIsDone, deadlineLater bool
}

// clock lets a tick pass. Who has checked its deadline makes its call at once; that it
// is stopped just there until the deadline is over is a fault of its own.
func (m *model) clock(w world, to emit) {
	stopped := int8(0)
	for i := range w.workers {
		p := &w.workers[i]
		if p.at == checked && p.left == 1 {
			p.stopped = true
			stopped++
		}
		p.left = max(p.left-1, 0)
	}
	if stopped > w.faults {
		return
	}
	w.faults -= stopped
	w.rec = tick(w.rec, 1)
	w.hidden = max(w.hidden-1, 0)
	if w.effects > 0 && m.is(job.Resend) {
		w.effectAge = min(w.effectAge+1, m.window)
	}
	what := "a second passes"
	if stopped > 0 {
		what = "a worker is stopped between its check and its call until its deadline is over"
	}
	to(event{what: what}, w)
}

// deliver gives a message to the first idle worker: one that the queue has, however
// often others got it before, or, which is a fault, one that was acknowledged.
func (m *model) deliver(w world, to emit) {
	i := 0
	for i < m.workers && w.workers[i].at != idle {
		i++
	}
	if i == m.workers {
		return
	}
	p := worker{at: claiming, token: w.fresh(), left: m.lease}
	if m.wrong.deadlineLater {
		p.left++
	}
	for p.message = range int8(freshest) {
		if w.messages&(1<<p.message) != 0 {
			s := w
			s.workers[i] = p
			to(event{what: "is given a message", who: int8(i + 1)}, s)
		}
	}
	p.message = noMessage
	fault(w, "is given a message that was acknowledged", int8(i+1), to, func(s *world) { s.workers[i] = p })
}

// queueLoses: what the sweep is for. Before a claim is committed nobody can mend it.
func (m *model) queueLoses(w world, to emit) {
	if w.rec.state != noRecord && w.messages != 0 {
		fault(w, "the queue loses its messages", 0, to, func(s *world) { s.messages = 0 })
	}
}

// push puts a message on the queue that is none of those that it, or a worker, has.
func (w *world) push() {
	for i := range int8(freshest) {
		if w.messages&(1<<i) == 0 && !w.handles(i) || i == freshest-1 {
			w.messages |= 1 << i
			return
		}
	}
}

func (w *world) handles(message int8) bool {
	for _, p := range w.workers {
		if p.at != idle && p.message == message {
			return true
		}
	}
	return false
}

// sweep is the sweep, one record long.
func (m *model) sweep(w world, to emit) {
	switch w.sweep.at {
	case sweepIdle:
		m.sweepLooks(w, to)
	case sweepSaw:
		m.sweepWrites(w, to)
	case sweepMarked:
		fault(w, "the sweep dies before it has put the message back", 0, to, func(s *world) { s.sweep = sweeper{} })
		w.sweep = sweeper{}
		w.push()
		to(event{what: "the sweep puts the message back"}, w)
	}
}

func (m *model) sweepLooks(w world, to emit) {
	if w.rec.state != isClaimed || w.rec.stale() < 0 {
		return
	}
	r := w.rec.staleRecord(modelTick)
	d := m.decideStale(r, m.job)
	if d.next == nextPutBack {
		d = decideMessage(r, d, w.rec.message != 0, nil, nil, m.job)
	}
	if d.next != nextPutBack && !d.writes() {
		return
	}
	if d.reason == staleReleased || d.next == nextPutBack {
		d.reason = "" // only for people
	}
	w.sweep = sweeper{sweepSaw, m.sees(w.rec, d)}
	to(event{what: "the sweep sees the stale claim: ", then: string(d.next)}, w)
}

func (m *model) sweepWrites(w world, to emit) {
	seen := w.sweep.seen
	w.sweep = sweeper{}
	if nextNames[seen.next] != nextPutBack {
		v, what := m.handling(seen, 0, w.rec)
		if !m.write(&w, v) {
			what = "finds that it has moved"
		}
		to(event{what: "the sweep ", then: what}, w)
		return
	}
	v := verb{do: vRequeue, token: seen.token, acts: seen.acts, requeues: seen.requeues, extra: seen.extra}
	if m.wrong.marksNot || m.write(&w, v) {
		w.sweep.at = sweepMarked
		w.puts++
	}
	to(event{what: "the sweep marks the message as put back"}, w)
}

// person looks at a hold, and decides some time later, whatever the truth may be.
func (m *model) person(w world, i int, to emit) {
	who := int8(i + 1)
	hold := w.persons[i]
	if hold == decided {
		return
	}
	if hold == 0 {
		if w.rec.state == isHeld && (i == 0 || w.persons[i-1] != 0) {
			w.persons[i] = w.rec.hold
			to(event{what: "sees the held operation", who: -who}, w)
		}
		return
	}
	w.persons[i] = decided
	v := verb{do: vResolve, token: w.rec.token, fresh: w.fresh(), hold: hold}
	done := w
	if m.write(&done, v) {
		to(event{what: "decides that it is done with", who: -who}, done)
	}
	v.do, v.push = vRunAgain, true
	if m.is(job.Lookup) {
		v.acts = w.rec.acts
	}
	if !m.write(&w, v) {
		to(event{what: "decides, and is told that it has moved", who: -who}, w)
		return
	}
	if m.scope.sweeps { // which then puts it back
		fault(w, "decides to run it again, and its message is not put back", -who, to, func(*world) {})
	}
	w.push()
	to(event{what: "decides to run it again", who: -who}, w)
}
