package queue

import (
	"context"
	"slices"
	"time"
)

// Ledger keeps which copies of which messages there are, and in whose hand, of a queue
// that is seen through the workers' proxies alone. All of it may be used by several
// goroutines, and under a gate's lock: it asks no gate.
type Ledger struct {
	*Log
	copies  []*Copy         // that there still are
	known   map[string]Copy // the last one of each message that was on its queue
	made    map[string]int  // copies of each message so far
	early   map[string]int  // received before their sending was seen
	waiting map[string]int  // open polls, by worker
	threads map[string]int  // polls that an idle worker has open

	askedEvery time.Duration        // by workers whose polls do not wait
	alive      map[string]time.Time // until when each worker counts as that
	nextLook   time.Time            // for workers that do not
	every      time.Duration        // between two looks
	stale      []Copy               // of which a worker's own list is yet to be told that they went elsewhere
}

// Copy is one copy of a message: N counts the copies of one message, from 1, and Place is
// where the queue keeps it.
type Copy struct {
	Message string
	N       int
	Payload []byte
	Place   string
	// Kept is the list of its worker's own that it is in, too; empty: it dies with its worker.
	Kept      string
	state     copyState
	worker    string
	due       time.Time
	forced    bool // put on again while in hand
	reclaimed bool // from a worker's own list, and not yet put on
	onItsWay  bool // off the queue, and its worker has nothing of it yet
}

type copyState int

const (
	visible copyState = iota
	inHand
	delayed
	deadLetter
	lost
)

// NewLedger makes an empty one.
func NewLedger() *Ledger {
	return &Ledger{
		Log:   NewLog(),
		known: map[string]Copy{}, made: map[string]int{}, early: map[string]int{}, waiting: map[string]int{}, threads: map[string]int{}, alive: map[string]time.Time{},
	}
}

// note writes what happened to a copy. Under the lock, like all that begins with a small
// letter here.
func (l *Ledger) note(kind Kind, c *Copy, worker string, hidden time.Duration) {
	if kind == Sent || kind == Received || kind == Redelivered {
		l.known[c.Message] = *c
	}
	l.Note(Event{Kind: kind, Message: c.Message, Copy: c.N, Worker: worker, For: hidden})
}

func (l *Ledger) find(message string, states ...copyState) *Copy {
	for _, c := range l.copies {
		if c.Message == message && slices.Contains(states, c.state) {
			return c
		}
	}
	return nil
}

func (l *Ledger) held(worker, message string) *Copy {
	for _, c := range l.copies {
		if c.state == inHand && c.worker == worker && c.Message == message {
			return c
		}
	}
	return nil
}

func (l *Ledger) make(kind Kind, message, worker, place string, payload []byte) *Copy {
	l.made[message]++
	c := &Copy{Message: message, N: l.made[message], Place: place, Payload: payload}
	l.copies = append(l.copies, c)
	l.note(kind, c, worker, 0)
	return c
}

func (l *Ledger) remove(c *Copy) {
	l.copies = slices.DeleteFunc(l.copies, func(other *Copy) bool { return other == c })
}

func (l *Ledger) drop(kind Kind, c *Copy, worker string) {
	l.remove(c)
	l.note(kind, c, worker, 0)
}

// Look is the state now.
func (l *Ledger) Look() Snapshot {
	l.Lock()
	defer l.Unlock()
	return l.look()
}

// Wait waits for a state.
func (l *Ledger) Wait(ctx context.Context, ok func(Snapshot) bool) error {
	return l.Await(ctx, l.look, ok)
}

func (l *Ledger) look() Snapshot {
	s := Snapshot{Asking: map[string]bool{}, Idle: map[string]bool{}, Events: l.Events(), AskedEvery: l.askedEvery}
	now, busy := l.Time(), map[string]bool{}
	for _, c := range l.copies {
		switch c.state {
		case visible:
			s.Visible++
		case inHand:
			s.InFlight++
			busy[c.worker] = true
			if c.Kept != "" {
				s.DueIn(l.comesBack(c).Sub(now))
			}
		case delayed:
			s.Delayed++
			s.DueIn(c.due.Sub(now))
		case deadLetter:
			s.Dead++
		case lost: // until it is put on again by force
			s.DueIn(0)
		}
	}
	for worker, open := range l.waiting {
		s.Asking[worker] = open > 0
		s.Idle[worker] = open >= max(1, l.threads[worker]) && !busy[worker]
	}
	return s
}

// left are the copies that match, oldest first.
func (l *Ledger) left(match func(*Copy) bool) []*Copy {
	return slices.DeleteFunc(slices.Clone(l.copies), func(c *Copy) bool { return !match(c) })
}
