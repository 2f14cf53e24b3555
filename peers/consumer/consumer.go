// Package consumer is the loop around the Go peers: it receives from SQS, and deletes
// what was handled without an error.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Order is what a message says.
type Order struct {
	Order struct {
		ID string `json:"id"`
	} `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

// Run handles the queue's messages until the process is told to end.
func Run(queue string, handle func(context.Context, Order) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	aws, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := sqs.NewFromConfig(aws)
	for {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queue, WaitTimeSeconds: 20})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			err := handleBody(ctx, *m.Body, handle)
			if err == nil {
				_, err = client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: m.ReceiptHandle})
			}
			if err != nil {
				slog.Error("not charged, the message comes again", "err", err)
			}
		}
	}
}

func handleBody(ctx context.Context, body string, handle func(context.Context, Order) error) error {
	var order Order
	if err := json.Unmarshal([]byte(body), &order); err != nil {
		return err
	}
	return handle(ctx, order)
}
