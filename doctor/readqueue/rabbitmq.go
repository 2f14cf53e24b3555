package readqueue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/doctor"
)

// ErrNoQueue says that the broker has no such queue.
var ErrNoQueue = errors.New("the broker has no such queue")

// RabbitMQ reads how a queue was declared.
func RabbitMQ(ctx context.Context, address, queue string) (*doctor.RabbitMQ, error) {
	if _, err := amqp.ParseURI(address); err != nil {
		return nil, errors.New("the address cannot be read") // the error itself would show it
	}
	stop := func() bool { return true } // the client knows no context
	defer func() { stop() }()
	conn, err := amqp.DialConfig(address, amqp.Config{
		Locale: "en_US", // in which the broker's answers are read
		Dial: func(network, addr string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			stop = context.AfterFunc(ctx, func() { _ = c.Close() })
			return c, nil
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.CloseDeadline(time.Now().Add(time.Second)) }()
	r := &doctor.RabbitMQ{Queue: queue, Missing: doctor.Missing{}}
	r.Version, _ = conn.Properties["version"].(string)
	if err := there(conn, queue); err != nil {
		return nil, err
	}
	p := &probe{conn: conn, queue: queue, durable: true, known: amqp.Table{}}
	if err := p.all(); err != nil {
		var answer *amqp.Error
		if !errors.As(err, &answer) || answer.Code != amqp.AccessRefused {
			return nil, err
		}
		r.Durable = true // not known, so no finding
		r.Missing["rabbitmq.not_durable"] = "the account may not configure the queue, and only to those who may AMQP tells how it was declared"
		return r, nil
	}
	r.Durable, r.AutoDelete, r.Arguments = p.durable, p.autoDelete, map[string]string{}
	for name, value := range p.known {
		r.Arguments[name] = fmt.Sprint(value)
	}
	return r, nil
}

func there(conn *amqp.Connection, queue string) error {
	channel, err := conn.Channel()
	if err != nil {
		return err
	}
	defer func() { _ = channel.Close() }()
	_, err = channel.QueueDeclarePassive(queue, false, false, false, false, nil)
	var answer *amqp.Error
	if errors.As(err, &answer) && answer.Code == amqp.NotFound {
		return ErrNoQueue
	}
	return err
}
