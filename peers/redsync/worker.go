//go:build ignore

// A consumer that looks whether the order is charged, and charges it, under a lock of
// Redsync in the Redis at PEER_REDIS.
package main

import (
	"context"
	"errors"
	"log"
	"os"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/examples/sqs-charge/payments"
	"github.com/twiceproof/twiceproof/peers/consumer"
)

func main() {
	options, err := redis.ParseURL(os.Getenv("PEER_REDIS"))
	if err != nil {
		log.Fatal("PEER_REDIS: ", err)
	}
	locks := redsync.New(goredis.NewPool(redis.NewClient(options)))
	if err := consumer.Run(os.Getenv("QUEUE_URL"), func(ctx context.Context, o consumer.Order) (err error) {
		mutex := locks.NewMutex("charge-" + o.Order.ID)
		if err := mutex.LockContext(ctx); err != nil {
			return err
		}
		defer func() {
			if _, lost := mutex.Unlock(); err == nil {
				err = lost
			}
		}()
		return charge(ctx, o)
	}); err != nil {
		log.Fatal(err)
	}
}

func charge(ctx context.Context, o consumer.Order) error {
	service := payments.Client{URL: os.Getenv("PAYMENTS_URL")}
	_, err := service.Find(ctx, o.Order.ID)
	if errors.Is(err, payments.ErrNotFound) {
		_, err = service.Create(ctx, payments.Charge{
			OrderID: o.Order.ID, AmountCents: o.AmountCents, Currency: o.Currency, Reference: o.Order.ID,
		})
	}
	return err
}
