package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/logging"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/queue/celery"
)

// putBackCelerySQS takes the address as Celery does: sqs:// alone is Amazon, by the usual
// variables and files; the name of a key and the key may stand in it, and another host.
func putBackCelerySQS(ctx context.Context, address string) (func(context.Context, []byte) error, error) {
	client, err := celerySQSClient(ctx, address)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	if _, err := client.ListQueues(asking, &awssqs.ListQueuesInput{}); err != nil && !mayNotAsk(err) {
		return nil, &hinted.Error{What: "the queue cannot be reached: " + err.Error(), Hint: unlessRefused(err, "check --queue-url, or CELERY_BROKER_URL, AWS_REGION and the credentials")}
	}
	return func(ctx context.Context, message []byte) error {
		task, err := celery.Stored(message)
		if err != nil {
			return err
		}
		queue, err := client.GetQueueUrl(ctx, &awssqs.GetQueueUrlInput{QueueName: aws.String(celery.QueueOnSQS(task.RoutingKey))})
		if err != nil {
			return err
		}
		send := &awssqs.SendMessageInput{QueueUrl: queue.QueueUrl, MessageBody: aws.String(base64.StdEncoding.EncodeToString(task.Envelope()))}
		group, fifo := task.Group()
		if group != "" {
			send.MessageGroupId = aws.String(group)
		}
		if fifo { // another one than the first message's, which would swallow it for five minutes
			send.MessageDeduplicationId = aws.String(rand.Text())
		}
		_, err = client.SendMessage(ctx, send)
		return err
	}, nil
}

func celerySQSClient(ctx context.Context, address string) (*awssqs.Client, error) {
	u, err := url.Parse(address)
	if err != nil { // it would show the address
		return nil, unreadableBroker()
	}
	settings, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what it would log comes back as an error
	if err != nil {
		return nil, &hinted.Error{What: "the AWS settings cannot be read: " + err.Error(), Hint: "check AWS_REGION, AWS_PROFILE and what they name"}
	}
	if settings.Region == "" {
		settings.Region = "us-east-1" // as Celery does
	}
	return awssqs.NewFromConfig(settings, func(o *awssqs.Options) {
		if u.Host != "" {
			o.BaseEndpoint = aws.String("http://" + u.Host)
		}
		if key, _ := u.User.Password(); key != "" {
			o.Credentials = credentials.NewStaticCredentialsProvider(u.User.Username(), key, "")
		}
	}), nil
}
