package celery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	lab "github.com/twiceproof/twiceproof/lab/rabbitmq"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/amqpwire"
)

// Servers keeps what is slow to start, for the queues of one replay, one after another.
// The zero value has none yet.
type Servers struct{ rabbitmq *lab.Server }

// Close ends them.
func (s *Servers) Close() error {
	if s.rabbitmq == nil {
		return nil
	}
	return s.rabbitmq.Stop()
}

// rabbitBroker is a RabbitMQ of the lab.
type rabbitBroker struct {
	*copies
	server *lab.Server
	conn   *amqp.Connection
	gate   *wire.Gate // of what is no worker
	way    *amqpwire.Proxy

	mu    sync.Mutex
	first map[string]*wire.Armed // what each worker says first of its queue, which is held
}

func (s *Servers) startRabbitMQ(ctx context.Context, c *copies) (r *rabbitBroker, err error) {
	if s.rabbitmq == nil {
		if s.rabbitmq, err = lab.Start(ctx); err != nil {
			return nil, err
		}
	}
	c.requeues = true
	r = &rabbitBroker{copies: c, server: s.rabbitmq, gate: wire.NewGate(nil), first: map[string]*wire.Armed{}}
	if r.conn, err = amqp.Dial(s.rabbitmq.URL()); err != nil {
		return nil, fmt.Errorf("reach RabbitMQ: %w", err)
	}
	if err := r.empty([]string{standard}); err != nil {
		_ = r.conn.Close()
		return nil, err
	}
	if r.way, err = amqpwire.Listen(r.gate, queue.Peer, r.address(), r.watch("")); err != nil {
		_ = r.conn.Close()
		return nil, err
	}
	return r, nil
}

func (r *rabbitBroker) address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.server.Port()))
}

type rabbitWay struct{ *amqpwire.Proxy }

func (w rabbitWay) Addresses() queue.Addresses {
	return queue.Addresses{Broker: "amqp://guest:guest@" + w.Addr() + "//"}
}

// listen holds the worker before it asks for tasks, until it has been told to tell its task
// events: see command.
func (r *rabbitBroker) listen(gate *wire.Gate, worker string) (queue.Way, error) {
	first := gate.Arm(wire.Fault{Match: isConsume, Do: wire.Hold})
	r.mu.Lock()
	r.first[worker] = first
	r.mu.Unlock()
	p, err := amqpwire.Listen(gate, queue.Peer, r.address(), r.watch(worker))
	return rabbitWay{p}, err
}

func (r *rabbitBroker) direct() queue.Addresses { return rabbitWay{r.way}.Addresses() }

// push puts messages on, and waits until the broker has them. A queue that is not there
// yet is made as Celery makes it.
func (r *rabbitBroker) push(place string, messages ...message) error {
	channel, err := r.conn.Channel()
	if err != nil {
		return fmt.Errorf("put a message on %s: %w", place, err)
	}
	defer channel.Close()
	if _, err := channel.QueueDeclare(place, true, false, false, false, nil); err != nil {
		return fmt.Errorf("make the queue %s: %w", place, err)
	}
	if err := channel.Confirm(false); err != nil {
		return err
	}
	for _, m := range messages {
		if err := publish(channel, "", place, m); err != nil {
			return fmt.Errorf("put a message on %s: %w", place, err)
		}
	}
	return nil
}

var errUnconfirmed = errors.New("the broker did not confirm it")

func publish(channel *amqp.Channel, exchange, key string, m message) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	p, err := m.publishing()
	if err != nil {
		return err
	}
	confirmed, err := channel.PublishWithDeferredConfirmWithContext(ctx, exchange, key, false, false, p)
	if err != nil || confirmed == nil {
		return err
	}
	if taken, err := confirmed.WaitContext(ctx); err != nil || !taken {
		return errUnconfirmed
	}
	return nil
}

// publishing is the message as Celery writes it for AMQP: the body itself, the headers as a
// table.
func (m message) publishing() (p amqp.Publishing, err error) {
	if p.Body, err = base64.StdEncoding.DecodeString(m.Body); err != nil {
		return p, err
	}
	p.Headers, err = tableOf(m.Headers)
	p.ContentType, p.ContentEncoding, p.DeliveryMode = m.ContentType, m.ContentEncoding, amqp.Persistent
	p.CorrelationId, p.ReplyTo, p.MessageId = text(m.Properties["correlation_id"]), text(m.Properties["reply_to"]), m.tag()
	_ = json.Unmarshal(m.Properties["priority"], &p.Priority) // without one it is 0
	return p, err
}

// replace puts a copy on. What is in a worker's memory cannot be taken from the broker: it
// gives that back when the worker ends.
func (r *rabbitBroker) replace(d due) error { return r.push(d.place, d.message) }

// pass: nothing but a message has a time there, and those are the replay's.
func (r *rabbitBroker) pass(time.Duration) error { return nil }

func (r *rabbitBroker) follow(time.Duration) {} // what crosses the wire is known at once

func (r *rabbitBroker) empty(places []string) error {
	for _, place := range places {
		channel, err := r.conn.Channel()
		if err != nil {
			return fmt.Errorf("lose the messages: %w", err)
		}
		if _, err := channel.QueuePurge(place, false); err == nil { // or there is no such queue, and the channel has ended
			_ = channel.Close()
		}
	}
	return nil
}

// command tells a worker to tell its task events, and asks it when it acknowledges. Its way
// to such commands is there before it asks for tasks, and what comes first it reads first.
func (r *rabbitBroker) command(worker string) {
	defer r.release(worker)
	channel, err := r.conn.Channel()
	if err != nil {
		return // then it is taken as it is
	}
	defer channel.Close()
	if err := channel.Confirm(false); err != nil {
		return
	}
	for _, m := range commands() {
		_ = publish(channel, remote, "", m) // where the exchange is not there it takes no commands
	}
}

func (r *rabbitBroker) release(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first[worker].Release()
}

func (r *rabbitBroker) version() map[string]string {
	version, _ := r.conn.Properties["version"].(string)
	return map[string]string{"rabbitmq": version}
}

// close leaves the server for the next queue, which is to find nothing of this one.
func (r *rabbitBroker) close() error {
	r.way.Close()
	r.gate.Close()
	err := r.empty(append(r.places(), standard))
	_ = r.conn.Close()
	return err
}
