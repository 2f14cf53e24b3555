package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readqueue"
	"github.com/twiceproof/twiceproof/doctor/readsettings"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
)

func readSQS(ctx context.Context, facts *doctor.Facts, url string) (string, error) {
	client, err := queueClient(ctx, url)
	if err != nil {
		return "", err
	}
	unread := func(err error) error {
		return &hinted.Error{
			What: "the queue's attributes cannot be read: " + err.Error(),
			Hint: unlessRefused(err, "check --queue-url and the AWS settings; the account needs sqs:GetQueueAttributes and sqs:GetQueueUrl"),
		}
	}
	return ask(ctx, "the queue", url, unread, func(ctx context.Context) (string, error) {
		if facts.SQS, err = readqueue.SQS(ctx, client, url); err != nil {
			return "", err
		}
		return "Amazon SQS, queue " + facts.SQS.Name, nil
	})
}

func (f doctorFlags) readBroker(ctx context.Context, facts *doctor.Facts, address string) (string, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	switch {
	case scheme == "redis", scheme == "rediss":
		return ask(ctx, "the broker", address, unreadBroker, func(ctx context.Context) (is string, err error) {
			rest, _, _ := strings.Cut(rest, "?") // Celery's own parameters are not the client's
			if facts.Redis, err = readqueue.Redis(ctx, scheme+"://"+rest); err != nil {
				return "", err
			}
			return "Redis " + facts.Redis.Version, nil
		})
	case isRabbit(address):
		return f.readRabbitMQ(ctx, facts, address)
	}
	return "", &hinted.Error{What: "the broker's address is of no known kind", Hint: "write --broker redis://… or amqp://…; an SQS queue is named by --queue-url"}
}

// isRabbit also knows the names that Celery has for it.
func isRabbit(address string) bool {
	scheme, _, _ := strings.Cut(address, "://")
	return slices.Contains([]string{"amqp", "amqps", "pyamqp", "librabbitmq"}, scheme)
}

func unreadBroker(err error) error {
	return &hinted.Error{What: "the broker cannot be read: " + err.Error(), Hint: unlessRefused(err, "check --broker, and that its account may connect")}
}

func (f doctorFlags) readRabbitMQ(ctx context.Context, facts *doctor.Facts, address string) (is string, err error) {
	scheme, rest, _ := strings.Cut(address, "://")
	if scheme != "amqps" {
		scheme = "amqp" // Celery has more names for it
	}
	address = scheme + "://" + rest
	var r *doctor.RabbitMQ
	is, err = ask(ctx, "the broker", address, f.unreadRabbitMQ, func(ctx context.Context) (_ string, err error) {
		if r, err = readqueue.RabbitMQ(ctx, address, f.brokerQueue); err != nil {
			return "", err
		}
		return "RabbitMQ " + r.Version + ", queue " + f.brokerQueue, nil
	})
	if err == nil && f.rabbitAPI != "" {
		_, err = ask(ctx, "the broker's management API", f.rabbitAPI, unreadPolicy, func(ctx context.Context) (_ string, err error) {
			r.Policy, err = readqueue.Policy(ctx, f.rabbitAPI, address, f.brokerQueue)
			return "", err
		})
	}
	if err == nil {
		facts.RabbitMQ = r
	}
	return is, err
}

func (f doctorFlags) unreadRabbitMQ(err error) error {
	if errors.Is(err, readqueue.ErrNoQueue) {
		return &hinted.Error{What: fmt.Sprintf("the broker has no queue %q", f.brokerQueue), Hint: "name it with --broker-queue; a worker makes it when it starts"}
	}
	return unreadBroker(err)
}

func unreadPolicy(err error) error {
	return &hinted.Error{What: "the broker's management API cannot be read: " + err.Error(), Hint: unlessRefused(err, "check --rabbitmq-api, and that its account has the tag monitoring or management")}
}

func (f doctorFlags) readCelery(ctx context.Context, facts *doctor.Facts) (string, error) {
	c, err := readsettings.Celery(ctx, f.python, f.celery, named(facts.Jobs, job.Celery))
	if err != nil {
		return "", unloaded(ctx, err, "the Celery application", "--python names the interpreter of the application's own environment; run it in the folder where celery -A "+f.celery+" works")
	}
	facts.Celery = c
	return "Celery " + c.Version, nil
}

func (f doctorFlags) readSidekiq(ctx context.Context, facts *doctor.Facts) (is string, err error) {
	s, config := &doctor.Sidekiq{Missing: doctor.Missing{}}, f.sidekiqConfig
	is = "Sidekiq's settings"
	if f.sidekiq != "" {
		if s, err = readsettings.Sidekiq(ctx, f.ruby, f.sidekiq, named(facts.Jobs, job.Sidekiq)); err != nil {
			return "", unloaded(ctx, err, "the Sidekiq application", "--ruby names the interpreter; run it in the folder, and with the variables, with which sidekiq -r "+f.sidekiq+" works")
		}
		is = "Sidekiq " + s.Version
		if _, err := os.Stat("config/sidekiq.yml"); err == nil && config == "" {
			config = "config/sidekiq.yml"
		}
	}
	if config != "" {
		if err := readsettings.SidekiqFile(config, f.environment, s); err != nil {
			return "", &hinted.Error{What: "Sidekiq's settings cannot be read: " + err.Error(), Hint: "check --sidekiq-config"}
		}
	}
	facts.Sidekiq = s
	return is, nil
}

func unloaded(ctx context.Context, err error, what, hint string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &hinted.Error{What: what + " cannot be loaded: " + err.Error(), Hint: hint}
}
