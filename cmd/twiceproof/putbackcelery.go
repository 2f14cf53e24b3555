package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/queue/celery"
)

// putBackCelery puts the stored task on again as Celery's own client would: the same id, so
// that a person and whoever waits for its result find it.
func putBackCelery(ctx context.Context, address string) (func(context.Context, []byte) error, error) {
	switch scheme, _, _ := strings.Cut(address, "://"); scheme {
	case "redis", "rediss":
		client, err := redisClient(ctx, address, "CELERY_BROKER_URL")
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, message []byte) error {
			task, err := celery.Stored(message)
			if err != nil {
				return err
			}
			return pushTask(ctx, client, task)
		}, nil
	case "amqp", "amqps", "pyamqp":
		return putBackAMQP(ctx, address)
	case "sqs":
		return putBackCelerySQS(ctx, address)
	}
	return nil, unreadableBroker()
}

func unreadableBroker() error {
	return &hinted.Error{
		What: "the address of Celery's broker cannot be read",
		Hint: "write --queue-url, or CELERY_BROKER_URL, such as redis://127.0.0.1:6379/0, amqp://user:password@127.0.0.1:5672// or sqs://",
	}
}

// pushTask finds the lists as the client does: those that the exchange leads to, or without
// one that of the queue itself.
func pushTask(ctx context.Context, client *redis.Client, task celery.Task) error {
	queues := []string{task.RoutingKey}
	if task.Exchange != "" {
		members, err := client.SMembers(ctx, task.Bindings()).Result()
		if err != nil {
			return err
		}
		queues = nil
		for _, member := range members {
			if queue, ok := task.Leads(member); ok {
				queues = append(queues, queue)
			}
		}
	}
	if len(queues) == 0 {
		return errors.New("no queue is bound to the exchange of the stored task")
	}
	_, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for _, queue := range queues {
			p.LPush(ctx, task.List(queue), task.Envelope())
		}
		return nil
	})
	return err
}

// putBackAMQP keeps one connection, and makes another one when that has ended.
func putBackAMQP(ctx context.Context, address string) (func(context.Context, []byte) error, error) {
	address = vhostOf(strings.TrimPrefix(address, "py"))
	if _, err := amqp.ParseURI(address); err != nil { // its error would show the address
		return nil, unreadableBroker()
	}
	p := &amqpPusher{dial: func() (*amqp.Connection, error) {
		return amqp.DialConfig(address, amqp.Config{Dial: amqp.DefaultDial(reachable), Heartbeat: reachable})
	}}
	if err := p.connect(); err != nil {
		return nil, &hinted.Error{What: "the queue cannot be reached: " + err.Error(), Hint: unlessRefused(err, "check --queue-url, or CELERY_BROKER_URL")}
	}
	context.AfterFunc(ctx, p.close)
	return func(ctx context.Context, message []byte) error {
		task, err := celery.Stored(message)
		if err != nil {
			return err
		}
		return p.push(ctx, task)
	}, nil
}

// vhostOf writes the default virtual host as this client does: Celery's has it as "//".
func vhostOf(address string) string {
	if head, ok := strings.CutSuffix(address, "//"); ok && strings.Contains(head, "://") {
		return head + "/"
	}
	return address
}

type amqpPusher struct {
	dial func() (*amqp.Connection, error)
	mu   sync.Mutex
	conn *amqp.Connection
}

func (p *amqpPusher) connect() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil || p.conn.IsClosed() {
		p.conn, err = p.dial()
	}
	return err
}

func (p *amqpPusher) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		_ = p.conn.Close()
	}
}

// push waits until the broker has the task on a queue: what no queue is bound for comes
// back.
func (p *amqpPusher) push(ctx context.Context, task celery.Task) error {
	if err := p.connect(); err != nil {
		return err
	}
	channel, err := p.conn.Channel()
	if err != nil {
		return err
	}
	defer channel.Close()
	if err := channel.Confirm(false); err != nil {
		return err
	}
	returned := channel.NotifyReturn(make(chan amqp.Return, 1))
	publishing, err := task.Publishing()
	if err != nil {
		return err
	}
	confirmed, err := channel.PublishWithDeferredConfirmWithContext(ctx, task.Exchange, task.RoutingKey, true, false, publishing)
	if err != nil {
		return err
	}
	taken, err := confirmed.WaitContext(ctx)
	switch {
	case err != nil:
		return err
	case !taken:
		return errors.New("the broker did not take it")
	}
	select {
	case <-returned: // it comes before the confirmation
		return errors.New("no queue has the stored task's routing key")
	default:
		return nil
	}
}
