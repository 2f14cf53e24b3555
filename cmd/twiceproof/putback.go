package main

import (
	"context"
	"errors"
	"strings"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/sqsconsumer"
)

// putBack sees first that the queue is there: each message that it did not take
// would use up one of its operation's put backs.
func putBack(ctx context.Context, j job.Job, queueURL string) (func(context.Context, []byte) error, error) {
	switch {
	case j.Queue != job.SQS:
		return nil, &replay.Problem{What: "a message of " + string(j.Queue) + " cannot be put back yet", Hint: "without --apply the sweep tells what there is to do"}
	case queueURL == "":
		return nil, &replay.Problem{What: "no queue is named", Hint: "give --queue-url, or set QUEUE_URL"}
	}
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
		return nil, &replay.Problem{What: "the queue cannot be reached: " + err.Error(), Hint: unlessRefused(err, "check --queue-url, AWS_REGION and the credentials")}
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
