// The old consumer: it charges whatever message it gets, as often as it gets it.
package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof/examples/sqs-charge/payments"
)

type message struct {
	Order struct {
		ID string `json:"id"`
	} `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

func main() {
	if err := run(); err != nil {
		slog.Error("consumer ended", "err", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client, queue := sqs.NewFromConfig(aws), os.Getenv("QUEUE_URL")
	service := payments.Client{URL: os.Getenv("PAYMENTS_URL")}
	for ctx.Err() == nil {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: 20})
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if err := handle(ctx, service, m); err != nil {
				slog.Error("charge failed, the message comes again", "err", err)
				continue
			}
			if _, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: m.ReceiptHandle}); err != nil {
				slog.Error("delete failed, the message comes again", "err", err)
			}
		}
	}
	return nil
}

func handle(ctx context.Context, service payments.Client, m types.Message) error {
	var order message
	if err := json.Unmarshal([]byte(*m.Body), &order); err != nil {
		return err
	}
	charge, err := service.Create(ctx, payments.Charge{OrderID: order.Order.ID, AmountCents: order.AmountCents, Currency: order.Currency})
	if err != nil {
		return err
	}
	slog.Info("charged", "order", order.Order.ID, "charge", charge.ID)
	return nil
}
