package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/twiceproof/twiceproof/examples/sqs-charge/payments"
)

func main() {
	if err := run(); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("consumer ended", "err", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, table); err != nil {
		return err
	}
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	c := consumer{
		db: db, queue: sqs.NewFromConfig(aws), url: os.Getenv("QUEUE_URL"),
		service: payments.Client{URL: os.Getenv("PAYMENTS_URL")},
	}
	return c.receive(ctx)
}

type consumer struct {
	db      *sql.DB
	queue   *sqs.Client
	url     string
	service payments.Client
}

func (c consumer) receive(ctx context.Context) error {
	for {
		out, err := c.queue.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &c.url, WaitTimeSeconds: 20})
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if err := c.handle(ctx, m); err != nil {
				slog.Error("not charged, the message comes again", "err", err)
				continue
			}
			if _, err := c.queue.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &c.url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				slog.Error("not deleted, the message comes again", "err", err)
			}
		}
	}
}

type message struct {
	Order struct {
		ID string `json:"id"`
	} `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

func (c consumer) handle(ctx context.Context, m types.Message) error {
	var order message
	if err := json.Unmarshal([]byte(*m.Body), &order); err != nil {
		return err
	}
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it says that there is nothing to roll back
	if first, err := claim(ctx, tx, m, order); err != nil || !first {
		return err
	}
	if err := c.charge(ctx, order); err != nil {
		return err
	}
	return tx.Commit()
}

// charge asks first: a worker that died after its charge has left no row.
func (c consumer) charge(ctx context.Context, order message) error {
	_, err := c.service.Find(ctx, order.Order.ID)
	if errors.Is(err, payments.ErrNotFound) {
		_, err = c.service.Create(ctx, payments.Charge{
			OrderID: order.Order.ID, AmountCents: order.AmountCents, Currency: order.Currency, Reference: order.Order.ID,
		})
	}
	return err
}
