package celery

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// Queue is one broker with its messages.
type Queue struct {
	*copies
	broker broker
	task   string
}

// broker is where the messages are.
type broker interface {
	listen(gate *wire.Gate, worker string) (queue.Way, error)
	direct() queue.Addresses
	// push puts messages on, all at once where there are several.
	push(place string, messages ...message) error
	// replace puts one on in the place of what the broker keeps under a tag, unless that has
	// been taken out meanwhile.
	replace(d due) error
	empty(places []string) error
	// pass makes what the broker keeps for a time older by that much.
	pass(d time.Duration) error
	// follow moves the broker's own clock, where it has one, and sees what happened there.
	follow(jump time.Duration)
	isEnd(s wire.Step) bool
	crossed(worker string, e wire.Event)
	version() map[string]string
	close() error
}

// Broker is a kind of broker.
type Broker string

// The brokers.
const (
	Redis    Broker = "redis"
	RabbitMQ Broker = "rabbitmq"
	SQS      Broker = "sqs"
)

// answerLimit bounds one command of the replay's own.
const answerLimit = 10 * time.Second

// realWait is how long a time that has come by the queue's clock is waited for by the
// machine's, in place of another copy.
const realWait = 2500 * time.Millisecond

// Settings are those of one queue. The task is that of messages whose template names none;
// Visibility is of SQS.
type Settings struct {
	Broker     Broker
	Task       string
	Visibility time.Duration
}

// Start makes an empty broker. The error may be one that says how to install it.
func (s *Servers) Start(ctx context.Context, set Settings) (*Queue, error) {
	q := &Queue{copies: newCopies(), task: set.Task}
	var err error
	switch set.Broker {
	case Redis, "":
		q.broker, err = startRedis(ctx, q.copies)
	case RabbitMQ:
		q.broker, err = s.startRabbitMQ(ctx, q.copies)
	case SQS:
		q.broker, err = startSQS(q.copies, set.Visibility)
	default:
		err = fmt.Errorf("no Celery worker can be replayed on %q by this version", set.Broker)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Listen makes a worker's proxy.
func (q *Queue) Listen(gate *wire.Gate, worker string) (queue.Way, error) {
	return q.broker.listen(gate, worker)
}

// Direct is seen, too.
func (q *Queue) Direct() queue.Addresses { return q.broker.direct() }

// Send puts one message on.
func (q *Queue) Send(m queue.Message) (string, error) { return q.send(m, 1) }

// SendTwice puts one task on twice.
func (q *Queue) SendTwice(m queue.Message) (string, error) { return q.send(m, 2) }

func (q *Queue) send(template queue.Message, copies int) (string, error) {
	m, err := newMessage(q.task, template)
	if err != nil {
		return "", err
	}
	all := []message{m}
	for len(all) < copies {
		all = append(all, m.again())
	}
	for n, one := range all {
		kind := queue.Sent
		if n > 0 {
			kind = queue.Redelivered
		}
		q.put(kind, one, one.queue())
	}
	return m.id(), q.broker.push(m.queue(), all...)
}

// SendPair puts two tasks on that differ in their ids alone.
func (q *Queue) SendPair(template queue.Message) error {
	var all []message
	for range 2 {
		m, err := newMessage(q.task, template)
		if err != nil {
			return err
		}
		q.put(queue.Sent, m, m.queue())
		all = append(all, m)
	}
	return q.broker.push(all[0].queue(), all...)
}

// Redeliver puts the same task on again, due at once.
func (q *Queue) Redeliver(id string) error {
	m, ok := q.another(id)
	if !ok {
		return fmt.Errorf("redeliver: no task %s was ever put on", id)
	}
	q.put(queue.Redelivered, m, m.queue())
	return q.broker.push(m.queue(), m)
}

// Lose empties the broker.
func (q *Queue) Lose() error {
	places := q.places()
	q.lose()
	return q.broker.empty(places)
}

// Advance puts on what is due, and by force what nobody will put on. What comes within
// moments by itself is waited for.
func (q *Queue) Advance(d time.Duration) error {
	if err := q.broker.pass(d); err != nil {
		return err
	}
	stranded := q.stranded()
	if at := q.wakes(d, realWait); !at.IsZero() {
		time.Sleep(time.Until(at.Add(time.Millisecond)))
	}
	for _, one := range q.advance(d, stranded) {
		if err := q.broker.replace(one); err != nil {
			return err
		}
	}
	q.broker.follow(d)
	return nil
}

// IsEnd tells whether a step ends a delivery: the acknowledgement, or of a task that was acknowledged before the event that
// tells its end.
func (q *Queue) IsEnd(_ string, s wire.Step) bool { return s.Peer == queue.Peer && q.broker.isEnd(s) }

// Crossed follows the polls, and whether the worker has begun to work.
func (q *Queue) Crossed(worker string, e wire.Event) {
	if e.Step.Peer != queue.Peer {
		switch e.Phase {
		case wire.Request:
			q.broker.follow(0)
			q.speaks(worker)
		case wire.Passed:
			q.spoke(worker)
		}
		return
	}
	q.broker.crossed(worker, e)
}

// Dead tells what the worker's death leaves.
func (q *Queue) Dead(worker string) {
	q.broker.follow(0)
	q.dead(worker)
}

// Versions are those of the broker.
func (q *Queue) Versions() map[string]string { return q.broker.version() }

// Close ends the broker.
func (q *Queue) Close() error {
	q.Log.Close()
	return q.broker.close()
}
