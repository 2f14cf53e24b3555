package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readqueue"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/rabbitmq"
)

// oneRabbit has a port for its management plugin, should a test load it.
var oneRabbit = sync.OnceValues(func() (*rabbitmq.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	managementPort = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return nil, err
	}
	return rabbitmq.Start(context.Background(), fmt.Sprint("management.tcp.port = ", managementPort), "management.tcp.ip = 127.0.0.1")
})

var managementPort int

func dialed(t *testing.T, url string) *amqp.Connection {
	t.Helper()
	conn, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func declare(t *testing.T, conn *amqp.Connection, name string, durable, autoDelete bool, arguments amqp.Table) {
	t.Helper()
	channel, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	defer channel.Close()
	if _, err := channel.QueueDeclare(name, durable, autoDelete, false, false, arguments); err != nil {
		t.Fatal(err)
	}
}

// declareGood: arguments that do not matter stand in the way of those that do.
func declareGood(t *testing.T, conn *amqp.Connection) {
	t.Helper()
	declare(t, conn, "good", true, false, amqp.Table{"x-max-priority": int32(5), "x-dead-letter-exchange": "dead", "x-queue-mode": "lazy", "x-single-active-consumer": true})
}

// How a queue was declared cannot be changed: each is a queue of its own.
func TestRabbitMQ(t *testing.T) {
	s, err := oneRabbit()
	started(t, s, err)
	conn := dialed(t, s.URL())
	declareGood(t, conn)
	for i, c := range []struct {
		id                  string
		durable, autoDelete bool
		arguments           amqp.Table
	}{
		{"rabbitmq.not_durable", false, false, nil},
		{"rabbitmq.auto_delete", true, true, nil},
		{"rabbitmq.expires", true, false, amqp.Table{"x-expires": int32(60000)}},
		{"rabbitmq.message_ttl", true, false, amqp.Table{"x-message-ttl": int64(60000), "x-max-priority": int16(3)}},
		{"rabbitmq.max_length", true, false, amqp.Table{"x-max-length": int32(10)}},
		{"rabbitmq.max_length", true, false, amqp.Table{"x-max-length-bytes": int32(1 << 20), "x-overflow": "drop-head"}},
		{"", true, false, amqp.Table{"x-max-length": int32(10), "x-overflow": "reject-publish"}},
		{"rabbitmq.delivery_limit", true, false, amqp.Table{"x-queue-type": "quorum", "x-delivery-limit": int32(9)}}, // 5 takeovers and 5 look-ups
		{"", true, false, amqp.Table{"x-queue-type": "quorum", "x-delivery-limit": int32(10)}},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			queue, name := "good", fmt.Sprint("queue ", i)
			declare(t, conn, name, c.durable, c.autoDelete, c.arguments)
			examine := func() doctor.Report {
				r, err := readqueue.RabbitMQ(ctxFor(t), s.URL(), queue)
				if err != nil {
					t.Fatal(err)
				}
				report := doctor.Examine(doctor.Facts{RabbitMQ: r, Jobs: theJob(t, job.Celery)})
				if len(report.Gaps) != 1 || report.Gaps[0].ID != "rabbitmq.policy" || !report.Untold() {
					t.Errorf("%+v", report.Gaps)
				}
				return report
			}
			if c.id == "" {
				queue = name
				if got := found(examine()); len(got) > 0 {
					t.Errorf("%q", got)
				}
				return
			}
			comesAndGoes(t, c.id, examine, func() { queue = name }, func() { queue = "good" })
		})
	}
	see("rabbitmq.policy")
}

// The server's time for an acknowledgement is not told, so the job file is what changes.
func TestRabbitMQConsumerTimeout(t *testing.T) {
	s, err := oneRabbit()
	started(t, s, err)
	declareGood(t, dialed(t, s.URL()))
	jobs := theJob(t, job.Celery)
	r, err := readqueue.RabbitMQ(ctxFor(t), s.URL(), "good")
	if err != nil || r.Version == "" {
		t.Fatal(r, err)
	}
	slow := theJob(t, job.Celery, "40s", "40m", "2m", "2h")
	comesAndGoes(t, "rabbitmq.consumer_timeout", func() doctor.Report { return doctor.Examine(doctor.Facts{RabbitMQ: r, Jobs: jobs}) },
		func() { jobs, slow = slow, jobs }, func() { jobs = slow })
}

// A queue that is not there is told, and is not made by looking for it.
func TestRabbitMQWithoutAQueue(t *testing.T) {
	s, err := oneRabbit()
	started(t, s, err)
	conn := dialed(t, s.URL())
	if _, err := readqueue.RabbitMQ(ctxFor(t), s.URL(), "nobody"); !errors.Is(err, readqueue.ErrNoQueue) {
		t.Errorf("%v", err)
	}
	left, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := left.QueueDeclarePassive("nobody", false, false, false, false, nil); err == nil {
		t.Error("looking for a queue made it")
	}
}

// An interruption ends the reading of a broker that never answers.
func TestRabbitMQInterrupted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	held := make(chan net.Conn, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			held <- conn
		}
		cancel()
	}()
	if _, err := readqueue.RabbitMQ(ctx, "amqp://"+l.Addr().String()+"/", "celery"); err == nil || ctx.Err() == nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	(<-held).Close()
}
