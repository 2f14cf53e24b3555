package readqueue

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof/doctor"
)

// SQS reads a queue's attributes, and those of its dead-letter queue.
func SQS(ctx context.Context, client *sqs.Client, url string) (*doctor.SQS, error) {
	q, arn, err := attributes(ctx, client, url)
	if err != nil || arn == "" {
		return q, err
	}
	if q.DeadLetters, err = deadLetters(ctx, client, arn); err != nil {
		q.Missing["sqs.dead_letter_retention"] = fmt.Sprintf("the dead-letter queue's attributes cannot be read: %v", err)
	}
	return q, nil
}

func deadLetters(ctx context.Context, client *sqs.Client, arn string) (*doctor.SQS, error) {
	parts := strings.Split(arn, ":")
	if len(parts) != 6 {
		return nil, fmt.Errorf("its name is no ARN")
	}
	found, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &parts[5], QueueOwnerAWSAccountId: &parts[4]})
	if err != nil {
		return nil, err
	}
	q, _, err := attributes(ctx, client, aws.ToString(found.QueueUrl))
	return q, err
}

func attributes(ctx context.Context, client *sqs.Client, url string) (q *doctor.SQS, deadLetters string, err error) {
	out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	if err != nil {
		return nil, "", err
	}
	a := out.Attributes
	seconds := func(name string) time.Duration {
		n, _ := strconv.Atoi(a[name])
		return time.Duration(n) * time.Second
	}
	q = &doctor.SQS{
		Name: url[strings.LastIndexByte(url, '/')+1:], Missing: doctor.Missing{},
		FIFO: a["FifoQueue"] == "true", ContentDedup: a["ContentBasedDeduplication"] == "true",
		Visibility: seconds("VisibilityTimeout"), Retention: seconds("MessageRetentionPeriod"), Delay: seconds("DelaySeconds"),
	}
	var sound bool
	if q.MaxReceives, deadLetters, sound = redrive(a["RedrivePolicy"]); !sound {
		q.Missing["sqs.max_receive"] = "the queue's RedrivePolicy cannot be read"
	}
	return q, deadLetters, nil
}

// redrive reads a policy; there may be none.
func redrive(policy string) (most int, deadLetters string, sound bool) {
	var p struct {
		Target string      `json:"deadLetterTargetArn"`
		Max    json.Number `json:"maxReceiveCount"` // a number or a text
	}
	if policy == "" {
		return 0, "", true
	}
	if json.Unmarshal([]byte(policy), &p) != nil {
		return 0, "", false
	}
	n, err := p.Max.Int64()
	return int(n), p.Target, err == nil
}
