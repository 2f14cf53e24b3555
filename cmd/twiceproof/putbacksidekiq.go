package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// putBackSidekiq puts the stored JSON on again as Sidekiq's own client puts a new job on:
// the same jid, so that a person finds it under the name that the log has.
func putBackSidekiq(ctx context.Context, address string) (func(context.Context, []byte) error, error) {
	client, err := redisClient(ctx, address, "REDIS_URL")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, message []byte) error {
		var stored struct{ Queue, JID string }
		if err := json.Unmarshal(message, &stored); err != nil || stored.Queue == "" || stored.JID == "" {
			return errors.New("the stored message is no Sidekiq job: it has no queue or no jid")
		}
		_, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.SAdd(ctx, "queues", stored.Queue)
			p.LPush(ctx, "queue:"+stored.Queue, message)
			return nil
		})
		return err
	}, nil
}

// redisClient has seen that the server is there.
func redisClient(ctx context.Context, address, variable string) (*redis.Client, error) {
	options, err := redis.ParseURL(address)
	if err != nil { // its error would show the address
		return nil, &hinted.Error{What: "the address of Redis cannot be read", Hint: "write --queue-url, or " + variable + ", such as redis://127.0.0.1:6379/0"}
	}
	options.DisableIdentity, options.MaxRetries = true, -1 // a push whose answer was lost must not be made twice by itself
	logging.Disable()                                      // what it would print comes back as an error
	client := redis.NewClient(options)
	context.AfterFunc(ctx, func() { _ = client.Close() })
	asking, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	if err := client.Ping(asking).Err(); err != nil {
		return nil, &hinted.Error{What: "the queue cannot be reached: " + err.Error(), Hint: unlessRefused(err, "check --queue-url, or "+variable)}
	}
	return client, nil
}
