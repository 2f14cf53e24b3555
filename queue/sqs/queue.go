package sqs

import (
	"context"
	"fmt"
	"sync"
	"time"

	lab "github.com/twiceproof/twiceproof/lab/sqs"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

const (
	name     = "replay"
	deadName = "replay-dead"
)

// Settings are those of the queue itself.
type Settings struct {
	Visibility time.Duration
	// MaxReceiveCount is when a message becomes a dead letter; 0 means never.
	MaxReceiveCount int
}

// Queue is one queue of an endpoint of its own.
type Queue struct {
	endpoint *lab.Endpoint
	url      string

	mu     sync.Mutex
	gates  map[string]*wire.Gate // by worker
	polls  map[string]int        // the most that each has had open
	events []queue.Event         // of the endpoint's log, as far as it was translated
}

// Start makes the endpoint, the queue, and one for dead letters where it can have some.
func Start(s Settings) (*Queue, error) {
	endpoint, err := lab.Start()
	if err != nil {
		return nil, err
	}
	q := &Queue{endpoint: endpoint, gates: map[string]*wire.Gate{}, polls: map[string]int{}}
	if err := q.create(s); err != nil {
		_ = endpoint.Close()
		return nil, err
	}
	return q, nil
}

func (q *Queue) create(s Settings) (err error) {
	attributes := map[string]string{"VisibilityTimeout": fmt.Sprint(int(s.Visibility / time.Second))}
	if s.MaxReceiveCount > 0 {
		if _, err := q.endpoint.CreateQueue(deadName, nil); err != nil {
			return err
		}
		attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:%s","maxReceiveCount":%d}`, deadName, s.MaxReceiveCount)
	}
	q.url, err = q.endpoint.CreateQueue(name, attributes)
	return err
}

type way struct {
	*httpwire.Proxy
	url string
}

// Listen also names the worker in each of its requests, so that the log does.
func (q *Queue) Listen(gate *wire.Gate, worker string) (queue.Way, error) {
	p, err := httpwire.Listen(gate, queue.Peer, q.endpoint.URL(), StepName, map[string]string{"X-Twiceproof-Worker": worker})
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gates[worker] = gate
	return way{p, q.url}, nil
}

func (w way) Addresses() queue.Addresses { return queue.Addresses{Broker: w.URL(), Queue: w.url} }

// Direct passes no proxy.
func (q *Queue) Direct() queue.Addresses {
	return queue.Addresses{Broker: q.endpoint.URL(), Queue: q.url}
}

// Send puts one message on.
func (q *Queue) Send(m queue.Message) (id string, err error) {
	return q.endpoint.Send(name, message(m))
}

// SendTwice puts one message on with two copies.
func (q *Queue) SendTwice(m queue.Message) (id string, err error) {
	return q.endpoint.SendTwice(name, message(m))
}

// SendPair puts two messages on.
func (q *Queue) SendPair(m queue.Message) error {
	_, err := q.endpoint.SendPair(name, message(m))
	return err
}

func message(m queue.Message) lab.Message {
	out := lab.Message{Body: m.Body, Attributes: map[string]lab.Attribute{}}
	for name, value := range m.Attributes {
		out.Attributes[name] = lab.Attribute{DataType: "String", StringValue: value}
	}
	return out
}

// Redeliver makes one more copy visible.
func (q *Queue) Redeliver(id string) error { return q.endpoint.Redeliver(name, id) }

// Lose loses every message.
func (q *Queue) Lose() error { return q.endpoint.Lose(name) }

// Now is the endpoint's clock.
func (q *Queue) Now() time.Time { return q.endpoint.Clock().Now() }

// Advance makes it jump.
func (q *Queue) Advance(d time.Duration) error {
	q.endpoint.Advance(d)
	return nil
}

// Look is the state now.
func (q *Queue) Look() (s queue.Snapshot) {
	// A context that is over ends the wait after its first look.
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_ = q.Wait(over, func(now queue.Snapshot) bool { s = now; return true })
	return s
}

// Wait waits for a state.
func (q *Queue) Wait(ctx context.Context, ok func(queue.Snapshot) bool) error {
	return q.endpoint.Wait(ctx, name, func(s lab.Snapshot) bool { return ok(q.translate(s)) })
}

// translate asks the gates how many polls a worker has, too: the endpoint takes a poll off
// its list in the same step in which it hands out a message, while the gate still sees it
// under way. So the endpoint's own count tells who is idle, against the most that the gate
// has shown.
func (q *Queue) translate(s lab.Snapshot) queue.Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range s.Events[min(len(q.events), len(s.Events)):] { // another look may have been later
		q.events = append(q.events, queue.Event{
			At: e.At, Kind: queue.Kind(e.Kind), Message: e.MessageID, Copy: e.Copy, Worker: e.Client, For: e.Visibility,
		})
	}
	out := queue.Snapshot{
		Visible: s.Visible, InFlight: s.InFlight, Delayed: s.Delayed, Dead: s.Dead,
		Asking: map[string]bool{}, Idle: map[string]bool{}, Events: q.events[:len(s.Events):len(s.Events)],
	}
	out.Due, out.NextDue = due(out.Events, q.endpoint.Clock().Now())
	for worker, gate := range q.gates {
		q.polls[worker] = max(1, q.polls[worker], gate.InFlight(isReceive))
		out.Asking[worker] = s.Polls[worker] > 0
		out.Idle[worker] = s.Polls[worker] >= q.polls[worker]
	}
	return out
}

// IsEnd tells whether a step deletes messages.
func (q *Queue) IsEnd(_ string, s wire.Step) bool { return isRemove(s) }

// Crossed says nothing that the endpoint does not know.
func (q *Queue) Crossed(string, wire.Event) {}

// Dead says nothing either: what a dead worker has in hand is hidden for its time.
func (q *Queue) Dead(string) {}

// Versions name the endpoint.
func (q *Queue) Versions() map[string]string {
	return map[string]string{"sqs": lab.Name + " " + lab.Version}
}

// Close ends the endpoint.
func (q *Queue) Close() error { return q.endpoint.Close() }
