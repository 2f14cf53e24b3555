package sqs

// Counts is how many copies a queue holds. Visible includes those of a FIFO
// queue that wait behind their group.
type Counts struct {
	Visible, InFlight, Delayed int
	Dead                       int // in its dead-letter queue, and died in this one
}

// Snapshot is a queue's state at one moment. Events is shared: read only.
type Snapshot struct {
	Counts
	Polling int
	Polls   map[string]int // the same, by client
	Events  []Event
}

func (q *queue) counts() Counts {
	var n Counts
	for _, c := range q.copies {
		switch c.state {
		case visible:
			n.Visible++
		case inFlight:
			n.InFlight++
		case delayed:
			n.Delayed++
		}
	}
	return n
}

func (a *account) counts(q *queue) Counts {
	n := q.counts()
	dead := a.deadLetterQueue(q)
	if dead == nil {
		return n
	}
	for _, c := range dead.copies {
		if c.source == q.name {
			n.Dead++
		}
	}
	return n
}
