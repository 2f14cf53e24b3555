package replay

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// meeting holds the workers at one step until all of them are there, so that a race is
// no matter of luck. Counter-example: a worker that looks and then inserts is right in
// nine races of ten, because the other one was a little late.
//
// It waits for nobody who does not come: who has ended its delivery, who got none, and
// who waits in the database for the lock of one that is held.
type meeting struct {
	at    map[*worker]*wire.Armed
	mail  *outside.Armed // in the place of at
	since int            // so many events of the queue were before
}

const (
	meetLimit  = 5 * time.Second       // for a worker that waits where nobody sees it; a full machine takes one
	meetBudget = 10 * time.Second      // of all runs of a case together
	meetLeast  = 20 * time.Millisecond // afterwards
	lockLook   = 5 * time.Millisecond  // how often the database is asked for locks
)

// arrange sets a meeting of workers at the step that matches.
func (w *world) arrange(match func(wire.Step) bool, workers ...*worker) *meeting {
	m := &meeting{at: map[*worker]*wire.Armed{}, since: len(w.queue.Look().Events)}
	for _, k := range workers {
		m.at[k] = k.gate.Arm(wire.Fault{Match: match, Side: wire.Before, Do: wire.Hold})
	}
	return m
}

// arrangeAct sets a meeting of all workers at the act.
func (w *world) arrangeAct() (m *meeting, err error) {
	m = w.arrange(w.isEffect, w.workers...)
	if w.mail != nil {
		m.mail, err = w.book.Arm(outside.Fault{Kind: outside.Hold})
	}
	return m, err
}

// meet is one of many meetings, so it is over soon; afterwards everybody goes on.
func (w *world) meet(ctx context.Context, m *meeting) error {
	limit, began := max(meetLeast, min(meetLimit, meetBudget-w.met)), time.Now()
	all, err := w.gather(ctx, m, limit)
	took := time.Since(began)
	if s := w.queue.Look(); err == nil && s.Visible > 0 && s.AskedEvery > 0 {
		all, err = w.gather(ctx, m, s.AskedEvery+time.Second)
	}
	if took >= limit {
		w.met += took
		if !all {
			w.history.add(judge.Event{Event: judge.EventApart, ForMS: took.Milliseconds()})
		}
	}
	m.end()
	return err
}

// gather waits until nobody is expected any more, and says whether all of them are there.
func (w *world) gather(ctx context.Context, m *meeting, limit time.Duration) (all bool, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for over := false; !over && err == nil && limited.Err() == nil; {
		if over = m.await(limited, w.queue); !over && m.arrived() > 0 {
			over, err = w.db.Locked(ctx)
		}
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return m.arrived() == len(m.at), err
}

// await waits a little, and says whether nobody is expected any more.
func (m *meeting) await(ctx context.Context, q queue.Queue) bool {
	little, cancel := context.WithTimeout(ctx, lockLook)
	defer cancel()
	for _, armed := range m.at {
		if isFired(armed) {
			continue
		}
		go func() {
			select {
			case <-armed.Fired():
				cancel()
			case <-little.Done():
			}
		}()
	}
	if m.mail != nil {
		next := m.mail.Fired() + 1
		go func() {
			if m.mail.Wait(little, next) == nil {
				cancel()
			}
		}()
	}
	return q.Wait(little, m.over) == nil
}

func (m *meeting) over(s queue.Snapshot) bool {
	gone := 0
	for k, armed := range m.at {
		if !isFired(armed) && isGone(k.name, s, m.since) {
			gone++
		}
	}
	return m.arrived()+gone >= len(m.at)
}

func (m *meeting) arrived() int {
	if m.mail != nil {
		return m.mail.Fired()
	}
	n := 0
	for _, armed := range m.at {
		if isFired(armed) {
			n++
		}
	}
	return n
}

// isGone: the worker has ended a delivery, or there is none for it. One that has
// changed a message's visibility has put it back only when it asks for more.
func isGone(worker string, s queue.Snapshot, since int) bool {
	has := false
	for _, e := range s.Events[since:] {
		if e.Worker != worker {
			continue
		}
		switch e.Kind {
		case queue.Received:
			has = true
		case queue.Deleted:
			return true
		case queue.VisibilityChanged:
			if s.Asking[worker] {
				return true
			}
		}
	}
	return !has && s.Visible == 0
}

// end releases who is held, and holds nobody any more.
func (m *meeting) end() {
	for _, armed := range m.at {
		armed.Disarm()
		armed.Release()
	}
	if m.mail != nil {
		m.mail.Disarm()
		m.mail.Release()
	}
}

func isFired(a *wire.Armed) bool {
	select {
	case <-a.Fired():
		return true
	default:
		return false
	}
}

// of is the part of one worker.
func (m *meeting) of(k *worker) *meeting {
	return &meeting{at: map[*worker]*wire.Armed{k: m.at[k]}, since: m.since}
}
