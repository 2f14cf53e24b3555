package twiceproof

import "github.com/twiceproof/twiceproof/job"

// canonical makes worlds that only differ in what nobody can see again the same.
func (m *model) canonical(w *world) {
	m.canonicalRecord(w)
	if w.sweep.at == sweepSaw && w.sweep.seen.token != w.rec.token {
		w.sweep = sweeper{} // a token never comes back: its write would change nothing
	}
	for i := range w.workers {
		m.canonicalWorker(&w.workers[i])
	}
	var names [2*maxWorkers + 8]int8
	last := int8(0)
	rename := func(token *int8) {
		if *token == 0 {
			return
		}
		if names[*token] == 0 {
			last++
			names[*token] = last
		}
		*token = names[*token]
	}
	rename(&w.rec.token)
	for i := range w.workers {
		rename(&w.workers[i].token)
		rename(&w.workers[i].seen.token)
	}
	rename(&w.sweep.seen.token)
}

// canonicalRecord: of a record that is not claimed only a person's decision matters,
// which sets its counters anew.
func (m *model) canonicalRecord(w *world) {
	r := &w.rec
	r.lease, r.age = max(r.lease-r.age, -m.far), 0
	r.requeuedFor = min(r.requeuedFor, m.lease)
	r.completedFor, r.heldFor, r.lateFor, r.repeats, r.repeatedFor, r.again = 0, 0, 0, 0, 0, false
	if m.is(job.Resend) {
		r.known = min(r.known, m.window)
	} else {
		r.known = 0
	}
	if r.state != isClaimed {
		r.lease, r.vanished, r.lookups, r.requeues, r.requeuedFor, r.requeued, r.givenUp = 0, 0, 0, 0, 0, false, false
		w.handedIn, w.vanishings, w.unanswered, w.puts = false, 0, 0, 0
	}
	if r.state == isCompleted {
		r.acts, r.known = 0, 0
	}
	if r.state == noRecord {
		*r = rec{}
	}
}

// canonicalWorker forgets what this worker does not read again.
func (m *model) canonicalWorker(p *worker) {
	if p.at > counted {
		p.acts, p.lookups = 0, 0
		p.already = p.already && p.at <= checked && (m.is(job.Hold) || m.is(job.AcceptMiss))
	}
	if p.at > counting {
		p.lookups = 0
	}
	if p.at != ending {
		p.completion = 0
	}
	if p.at != giving {
		p.pause, p.failed = 0, 0
	}
	if !m.is(job.Lookup) {
		p.lookups = 0
	}
	p.seen.requeues = 0
	if p.at == acking {
		p.token = 0
	}
}

// fresh is a token that nobody has.
func (w *world) fresh() int8 {
	most := max(w.rec.token, w.sweep.seen.token)
	for _, p := range w.workers {
		most = max(most, p.token, p.seen.token)
	}
	return most + 1
}
