package main

import (
	"context"
	"errors"
	"strings"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/sqsconsumer"
)

// queueVariables are where each system's own programs find its address.
var queueVariables = map[job.Queue]string{job.SQS: "QUEUE_URL", job.Sidekiq: "REDIS_URL", job.Celery: "CELERY_BROKER_URL"}

func queueAddress(j job.Job, flag string) string { return orVariable(flag, queueVariables[j.Queue]) }

// putBack sees first that the queue is there: each message that it did not take
// would use up one of its operation's put backs.
func putBack(ctx context.Context, j job.Job, address string) (func(context.Context, []byte) error, error) {
	switch variable, known := queueVariables[j.Queue]; {
	case !known:
		return nil, &hinted.Error{What: "a message of " + string(j.Queue) + " cannot be put back: the guard has no layer that stores one", Hint: "without --apply the sweep tells what there is to do"}
	case address == "":
		return nil, &hinted.Error{What: "no queue is named", Hint: "give --queue-url, or set " + variable}
	case j.Queue == job.Sidekiq:
		return putBackSidekiq(ctx, address)
	case j.Queue == job.Celery:
		return putBackCelery(ctx, address)
	}
	return putBackSQS(ctx, address)
}

// storedFields reads a stored message; nil where nobody can: a task of Celery has its
// arguments as they were passed, by position or by name, and only its function knows which
// is which.
func storedFields(j job.Job) func([]byte) (job.Fields, error) {
	switch j.Queue {
	case job.SQS:
		return sqsconsumer.FieldsOf
	case job.Sidekiq:
		return job.FieldsOfSidekiq
	}
	return nil
}

func putBackSQS(ctx context.Context, queueURL string) (func(context.Context, []byte) error, error) {
	client, err := queueClient(ctx, queueURL)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	_, err = client.GetQueueAttributes(asking, &awssqs.GetQueueAttributesInput{
		QueueUrl: &queueURL, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil && !mayNotAsk(err) {
		return nil, &hinted.Error{What: "the queue cannot be reached: " + err.Error(), Hint: unlessRefused(err, "check --queue-url, AWS_REGION and the credentials")}
	}
	return func(ctx context.Context, message []byte) error {
		return sqsconsumer.PutBack(ctx, client, queueURL, message)
	}, nil
}

// mayNotAsk: whoever may send need not have the permission to ask.
func mayNotAsk(err error) bool {
	var refused smithy.APIError
	return errors.As(err, &refused) && strings.HasPrefix(refused.ErrorCode(), "AccessDenied")
}
