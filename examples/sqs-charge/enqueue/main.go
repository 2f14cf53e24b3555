// The application's own enqueuer: it puts the charge of one order on the queue.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

func main() {
	if err := enqueue(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func enqueue(order string) error {
	ctx := context.Background()
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{
		"order":        map[string]any{"id": order},
		"amount_cents": 1250, "currency": "EUR",
		"sent_at": time.Now(), // not in the key and not in the fingerprint: it differs each time
	})
	if err != nil {
		return err
	}
	_, err = sqs.NewFromConfig(settings).SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(os.Getenv("QUEUE_URL")), MessageBody: aws.String(string(body)),
	})
	return err
}
