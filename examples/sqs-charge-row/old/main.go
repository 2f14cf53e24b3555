// The old consumer: it books whatever message it gets, as often as it gets it.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/twiceproof/twiceproof/examples/sqs-charge-row/charges"
)

func main() {
	if err := run(); err != nil {
		slog.Error("consumer ended", "err", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ledger, err := charges.Open(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer ledger.DB.Close()
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client, queue := sqs.NewFromConfig(aws), os.Getenv("QUEUE_URL")
	for ctx.Err() == nil {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: 20})
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if err := book(ctx, ledger, []byte(*m.Body)); err != nil {
				slog.Error("booking failed, the message comes again", "err", err)
				continue
			}
			if _, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: m.ReceiptHandle}); err != nil {
				slog.Error("delete failed, the message comes again", "err", err)
			}
		}
	}
	return nil
}

func book(ctx context.Context, ledger *charges.Ledger, body []byte) error {
	c, err := charges.Parse(body)
	if err != nil {
		return err
	}
	return ledger.Book(ctx, ledger.DB, c)
}
