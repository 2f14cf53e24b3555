package wire

import (
	"fmt"
	"time"
)

// Step is one protocol message of the job's run: what it is, not when it came.
type Step struct {
	// Protocol is the wire's name, such as "http".
	Protocol string
	// Peer is who the step is sent to, such as "outside" or "queue".
	Peer string
	// Text is the step's normalised text, such as "POST /charges".
	Text string
	// Nth counts the steps with this protocol, peer and text at this gate since
	// the last Reset; 1 is the first. It counts over all connections, because a
	// pool gives a job whichever connection is free.
	Nth int
}

func (s Step) String() string {
	return fmt.Sprintf("%s %s #%d", s.Peer, s.Text, s.Nth)
}

// Phase is how far a step has come.
type Phase string

// The phases. A step ends in one of the last five.
const (
	// Unreadable is of no step: the proxy has ended a connection, for the reason that is in
	// the event's status.
	Unreadable Phase = "unreadable"

	// Request: the request, or a delivery, has been read whole.
	Request Phase = "request"
	// Forwarded: the request's first byte goes to the peer; a delivery's, to the worker.
	Forwarded Phase = "forwarded"
	// Reply: the peer's reply has been read whole.
	Reply Phase = "reply"
	// Held: a fault keeps the step where it is.
	Held Phase = "held"

	// Passed: the reply's first byte goes to the worker. Of what is not answered: it has
	// left; of a delivery: its first byte goes to the worker, and what is held After it
	// goes on.
	Passed Phase = "passed"
	// Killed: the worker was killed at this step.
	Killed Phase = "killed"
	// Dropped: the step's connection was dropped at this step.
	Dropped Phase = "dropped"
	// Refused: the gate was shut before the step could be forwarded.
	Refused Phase = "refused"
	// Lost: the step was forwarded, and no reply was passed on.
	Lost Phase = "lost"
)

// Event is one thing that happened to one step.
type Event struct {
	At    time.Time
	Step  Step
	Phase Phase
	// Status is the reply's status where there is one, or why a step was lost.
	Status string
}
