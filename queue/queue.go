package queue

import (
	"context"
	"time"

	"github.com/twiceproof/twiceproof/wire"
)

// Queue is the one queue of one case, with a clock that can be moved. It is used by
// several goroutines.
type Queue interface {
	// Listen makes the way of one worker to the queue, through the worker's gate.
	Listen(gate *wire.Gate, worker string) (Way, error)
	// Direct is the way of what is no worker: the application's own enqueuers and its
	// sweep. What they do is in the log, too.
	Direct() Addresses

	// Send puts a message on and gives its id.
	Send(m Message) (id string, err error)
	// SendTwice puts one message on with two copies, both there at once.
	SendTwice(m Message) (id string, err error)
	// SendPair puts two messages on that differ in their id alone, both there at once.
	SendPair(m Message) error
	// Redeliver puts one more copy on under the same id, by force.
	Redeliver(id string) error
	// Lose makes the queue lose every message that it has, also those in hand.
	Lose() error

	// Now is the queue's clock. Advance makes it jump: what is due by then is there
	// before Advance returns, and so is what the queue would deliver again by itself.
	// What it would never deliver again is then put on by force, as Redeliver does.
	Now() time.Time
	Advance(d time.Duration) error

	// Look is the state now, Wait blocks until ok says yes of it: it looks again
	// whenever something has happened, and ends with ctx or the queue.
	Look() Snapshot
	Wait(ctx context.Context, ok func(Snapshot) bool) error

	// IsEnd: the step ends the delivery that the worker has in hand. Crossed is told of
	// all that happens at the worker's gate. Both are called under the gate's lock and ask
	// the gate nothing.
	IsEnd(worker string, s wire.Step) bool
	Crossed(worker string, e wire.Event)
	// Dead: the worker's process has ended.
	Dead(worker string)

	// Versions are of the system's own programs, by name.
	Versions() map[string]string
	Close() error
}

// Peer is the queue's name in a step.
const Peer = "queue"

// Way is one worker's way to the queue; Close ends its proxy.
type Way interface {
	Addresses() Addresses
	Close()
}

// Addresses are where a process finds the queue: the system, and in it the queue.
type Addresses struct{ Broker, Queue string }

// Message is a message as the replay file writes it. Attributes are of SQS only.
type Message struct {
	Body       string
	Attributes map[string]string
}

// Snapshot is a queue's state at one moment. Events is shared: read only.
type Snapshot struct {
	// Visible copies can be received now, InFlight ones are in some worker's hand,
	// Delayed ones wait for their time, Dead ones for a person.
	Visible, InFlight, Delayed, Dead int
	// Asking workers wait for a message, Idle ones have none in hand besides.
	Asking, Idle map[string]bool
	// AskedEvery is how long an idle worker may take until it asks; 0: it waits for an answer.
	AskedEvery time.Duration
	// Due tells, where NextDue is true, how long it takes until the next copy can be
	// received that cannot be now.
	NextDue bool
	Due     time.Duration
	Events  []Event
}

// Left is how many copies there still are, but for the dead ones.
func (s Snapshot) Left() int { return s.Visible + s.InFlight + s.Delayed }

// Count is how many events there were of a kind.
func (s Snapshot) Count(kind Kind) (n int) {
	for _, e := range s.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// Event is one thing that happened in a queue. At is by the queue's clock.
type Event struct {
	At      time.Time
	Kind    Kind
	Message string
	Copy    int    // of the message, from 1
	Worker  string // that did it; empty where the queue or the replay did
	// For is how long the copy is hidden from now on; 0 of a system without such a
	// time.
	For time.Duration
	// Why the queue has given the message up, where a system has more than one reason.
	Why string
}

// Kind says what happened to a message. The words are those of SQS.
type Kind string

// The kinds that a replay asks about. A system may have more.
const (
	Sent              Kind = "sent"
	Redelivered       Kind = "redelivered" // by force
	Received          Kind = "received"
	Deleted           Kind = "deleted"            // its delivery is over, and it will not come again
	VisibilityChanged Kind = "visibility_changed" // its worker has put it back
	VisibilityOver    Kind = "visibility_over"    // the queue delivers it again by itself
	DeadLettered      Kind = "dead_lettered"
	RetentionOver     Kind = "retention_over"
	Purged            Kind = "purged"
	Gone              Kind = "gone" // by Lose
	Lost              Kind = "lost" // with its worker: the queue would never deliver it again
	// Failed: its task has failed for good. Celery keeps no dead letters: a person finds it in
	// log and result.
	Failed Kind = "failed"
	// LostEarly: its worker has died, and had told the queue to forget it before it worked on it.
	LostEarly Kind = "lost_early"
	// EndUnseen: its worker has told the queue to forget it before it works on it, and will
	// not say when it has.
	EndUnseen Kind = "end_unseen"
	// LostWithChild: its worker lives, but has told the queue to forget it when the process
	// died that worked on it.
	LostWithChild Kind = "lost_with_child"
	// Abandoned: its worker has died, and the queue has given it up for that: a person finds it.
	Abandoned Kind = "abandoned"
	// Unscheduled: its time has come, and none of the workers would look for such.
	Unscheduled Kind = "unscheduled"
)
