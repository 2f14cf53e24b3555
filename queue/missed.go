package queue

// What is taken off a queue comes to its worker by the same connection, which may end between.

// Delivered is told that the worker has what it was given.
func (l *Ledger) Delivered(worker, message string) {
	l.Lock()
	defer l.Unlock()
	if c := l.held(worker, message); c != nil {
		c.onItsWay = false
	}
}

// Missed is told that a worker's connection ended before it had what it was given: that is
// lost, unless it is kept, though the worker lives.
func (l *Ledger) Missed(worker string) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.mortal(worker) {
		if c.onItsWay {
			l.miss(c)
		}
	}
}

func (l *Ledger) miss(c *Copy) {
	c.state = lost
	l.note(Lost, c, c.worker, 0)
}
