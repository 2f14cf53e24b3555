package queue

import (
	"slices"
	"time"
)

// What a worker has in hand may be in a list of its own as well, so that it outlives the
// worker: others take it from there. They take nobody for dead whose heartbeat is not over,
// and they look for dead ones from time to time only.

// Keep is told that a copy in hand is in such a list.
func (l *Ledger) Keep(worker, message, list string) {
	l.Lock()
	defer l.Unlock()
	if c := l.held(worker, message); c != nil {
		c.Kept = list
		l.Tell()
	}
}

// Acknowledged is told that a copy has been taken off such a list: the end of its delivery,
// unless it was put back before.
func (l *Ledger) Acknowledged(worker, message string) {
	l.Lock()
	defer l.Unlock()
	if c := l.held(worker, message); c != nil {
		l.drop(Deleted, c, worker)
		return
	}
	for i, c := range l.stale {
		if c.worker == worker && c.Message == message {
			l.stale = slices.Delete(l.stale, i, i+1)
			return
		}
	}
}

// leave is called of a copy that goes elsewhere. Until the list is told so, it is there, too.
func (l *Ledger) leave(c *Copy) {
	if c.Kept != "" {
		l.stale = append(l.stale, *c)
		c.Kept = ""
	}
}

// bequeath: what a worker has put back and not acknowledged when it died comes twice.
func (l *Ledger) bequeath(worker string) {
	for _, c := range l.stale {
		if c.worker == worker {
			l.made[c.Message]++
			c.N = l.made[c.Message]
			l.copies = append(l.copies, &c)
		}
	}
	l.stale = slices.DeleteFunc(l.stale, func(c Copy) bool { return c.worker == worker })
}

// Reclaimed is told of a copy that a worker has taken from another one's list. It is about
// to put it on, and loses it when it dies before.
func (l *Ledger) Reclaimed(worker, message, list string) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.copies {
		if c.Message == message && c.Kept == list {
			c.state, c.worker, c.Kept, c.reclaimed = inHand, worker, "", true
			l.Tell()
			return
		}
	}
}

// GiveUp is told of a copy in such a list that the queue has taken off it, and never delivers
// again.
func (l *Ledger) GiveUp(kind Kind, message, list string) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.copies {
		if c.Message == message && c.Kept == list {
			l.drop(kind, c, "")
			return
		}
	}
}

// Copies is how many there still are of a message, but for those that nobody has.
func (l *Ledger) Copies(message string) int {
	l.Lock()
	defer l.Unlock()
	return len(l.left(func(c *Copy) bool { return c.Message == message && c.state != lost && c.state != deadLetter }))
}

// Disowned is told that a worker goes on without what it keeps, which stays in its list: as
// though somebody had died with it who counts as alive for so long.
func (l *Ledger) Disowned(worker string, alive time.Duration) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.copies {
		if c.state == inHand && c.worker == worker && c.Kept != "" {
			c.worker, l.alive[""] = "", l.Time().Add(alive)
			l.Tell()
		}
	}
}

// Keeps tells whether a worker has something in hand that is in a list of its own.
func (l *Ledger) Keeps(worker string) bool {
	l.Lock()
	defer l.Unlock()
	return slices.ContainsFunc(l.copies, func(c *Copy) bool { return c.state == inHand && c.worker == worker && c.Kept != "" })
}

// Beats is told how long a worker counts as alive from now on.
func (l *Ledger) Beats(worker string, d time.Duration) {
	l.Lock()
	defer l.Unlock()
	l.alive[worker] = l.Time().Add(d)
	l.Tell()
}

// Looks is told that somebody looks for dead ones, and how long nobody does from now on.
func (l *Ledger) Looks(every time.Duration) {
	l.Lock()
	defer l.Unlock()
	l.every, l.nextLook = every, l.Time().Add(every)
	l.Tell()
}

// LooksAgain is the same, as often as before.
func (l *Ledger) LooksAgain() { l.Looks(l.every) }

// comesBack is when others can have what is kept.
func (l *Ledger) comesBack(c *Copy) time.Time {
	if alive := l.alive[c.worker]; alive.After(l.nextLook) {
		return alive
	}
	return l.nextLook
}

// LookIsDue is true when somebody who starts now looks for dead ones.
func (l *Ledger) LookIsDue() bool {
	l.Lock()
	defer l.Unlock()
	return !l.nextLook.IsZero() && !l.nextLook.After(l.Time())
}

// OfDead is what is kept by workers that are taken for dead.
func (l *Ledger) OfDead() (all []Copy) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.copies {
		if c.state == inHand && c.Kept != "" && !l.alive[c.worker].After(l.Time()) {
			all = append(all, *c)
		}
	}
	return all
}

// Polls is told of a worker that waits for no answer when it asks, but asks again after a
// while: it counts as asking until it gets something.
func (l *Ledger) Polls(worker string, every time.Duration) {
	l.Lock()
	defer l.Unlock()
	l.askedEvery, l.waiting[worker] = every, max(1, l.threads[worker])
	l.Tell()
}
