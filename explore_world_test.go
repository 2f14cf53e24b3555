package twiceproof

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

const (
	// modelTick: a second, so that the job's times and the guard's own pauses are
	// whole ticks.
	modelTick         = time.Second
	maxWorkers        = 3
	maxPersons        = 2
	budget            = 2  // of takeovers, and of look-ups
	freshest          = 3  // messages told apart
	firstMessage      = 1  // bit
	noMessage    int8 = -1 // a copy of one that is acknowledged already
	decided      int8 = -1 // by that person
)

// world is everything that matters at one moment. Two equal worlds have the same
// future. Only small numbers and truths, so that it is a key that hashes fast.
type world struct {
	rec     rec
	workers [maxWorkers]worker
	sweep   sweeper
	// persons: 0, the hold that they saw, or decided.
	persons  [maxPersons]int8
	messages uint8 // a bit for each that the queue has

	// The outside service.
	effects   int8
	hidden    int8 // lookup: until the first effect surely shows
	effectAge int8 // resend: since the first effect

	faults    int8 // still to come
	slips     int8 // acts after their deadline: a pause between the check and the call
	runAgains int8 // persons' decisions to run it again

	// What happened, beside what the record says of it; since the last decision.
	handedIn                     bool // the claim's holder has handed it in
	vanishings, unanswered, puts int8
}

// place is where in Run a worker is.
type place uint8

const (
	idle      place = iota
	claiming        // sends the claim, or reads again what another's write left
	handling        // take over, hold or assume
	asking          // taken over, under lookup
	counting        // further attempt: about to check and send act_again
	counted         // act_again is sent
	entering        // the last check of the guard
	checked         // the body's own check is done: the call comes next
	ending          // complete
	releasing       // definitely not applied
	giving          // nobody can tell
	late            // the token no longer matched: late_finish
	reading         // what the record says now
	acking          // the outcome lets the queue forget the message
)

type worker struct {
	at             place
	message        int8
	token          int8
	left           int8 // until its own deadline
	seen           seen
	doubt, already bool // of a takeover whose reply was lost; the attempt is a takeover
	acts, lookups  int8
	completion     uint8
	pause, failed  int8 // of a give up
	acted          bool
	late           bool // given up: what the record says does not matter
	stopped        bool // between its check and its call, until its deadline was over
	decided        bool // the record was completed or held when it read that its claim was lost
}

// seen is a record as a decision was taken on it, and the decision.
type seen struct {
	next, reason    uint8
	token, acts     int8
	requeues, extra int8
}

// sweeper: between the page and the write, or between the mark and the push.
type sweeper struct {
	at   uint8
	seen seen
}

const (
	sweepIdle = iota
	sweepSaw
	sweepMarked
)

var nextNames = []next{
	"", nextAct, nextTakeOver, nextHold, nextAssume, nextLive, nextCompleted, nextHeld, nextMismatch, nextPutBack, nextWait,
}

// event is one step of the world, in words, put together only to be read.
type event struct {
	what string
	who  int8 // worker from 1, person from -1, or 0
	then string
}

const (
	died         = "dies, or cannot reach the database any more"
	acknowledged = "acknowledges"
	replyLost    = "; the reply is lost, and it sends again"
	noMatch      = ", which does not match"
)

type emit func(event, world)

// model is the protocol under exploration: the guard's own decisions over apply, and
// what is not a pure function of it, the workers' and the sweep's way.
type model struct {
	job         job.Job
	apply       func(rec, verb) (rec, bool)
	decide      func(record, string, job.Fingerprint, job.Job) decision
	decideStale func(staleRecord, job.Job) decision
	wrong       wrong

	scope
	settle, window, far int8 // ticks; far: how long a claim has been stale at the most, to matter
}

// scope is how far one exploration goes.
type scope struct {
	workers, persons int
	faults           int8
	lease            int8 // ticks
	sweeps           bool
}

func newModel(p job.Policy, s scope) *model {
	j := holdJob()
	j.Lease = time.Duration(s.lease) * modelTick
	j.Stale = job.Stale{Policy: p, MaxTakeovers: budget}
	m := &model{job: j, apply: apply, decide: decide, decideStale: decideStale, scope: s, far: s.lease}
	switch p {
	case job.Lookup:
		m.settle = s.lease
		m.job.Stale.Settle, m.job.Stale.MaxLookups = time.Duration(m.settle)*modelTick, budget
	case job.Resend:
		m.window = 2 * s.lease
		m.job.Stale.ReferenceWindow = time.Duration(m.window) * modelTick
	}
	return m
}

func (m *model) start() world { return world{messages: firstMessage, faults: m.faults} }

func (m *model) is(p job.Policy) bool { return m.job.Stale.Policy == p }

func ticksOf(d time.Duration) int8 { return int8((d + modelTick - 1) / modelTick) }

// next tells every step that the world can take.
func (m *model) next(w world, to emit) {
	m.clock(w, to)
	m.deliver(w, to)
	if m.scope.sweeps || m.wrong.losesAll {
		m.queueLoses(w, to)
	}
	if m.scope.sweeps {
		m.sweep(w, to)
	}
	for i := range m.workers {
		m.work(w, i, to)
	}
	for i := range m.persons {
		m.person(w, i, to)
	}
}

// fault takes one from those still to come.
func fault(w world, what string, who int8, to emit, then func(*world)) {
	if w.faults == 0 {
		return
	}
	w.faults--
	then(&w)
	to(event{what: what, who: who}, w)
}

// lost: the statement was executed, and is sent again.
func lost(w world, what string, who int8, to emit) {
	if w.faults > 0 {
		w.faults--
		to(event{what, who, replyLost}, w)
	}
}

// write applies a verb and keeps count of what it means.
func (m *model) write(w *world, v verb) bool {
	before := w.rec
	after, matched := m.apply(before, v)
	if !matched {
		return false
	}
	w.rec = after
	switch v.do {
	case vTakeOver:
		if before.acts > 0 && !w.handedIn {
			w.vanishings++
		}
		w.handedIn = false
	case vRelease, vGiveUp:
		w.handedIn = true
	case vRunAgain:
		w.handedIn, w.vanishings, w.unanswered, w.puts = v.acts > 0, 0, 0, 0
		w.runAgains++
	}
	return true
}
