package sqsconsumer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof/job"
)

// PutBack puts a stored message on the queue again, as a new message of the same
// content; a twiceproof.Sweeper uses it. On a FIFO queue it goes to the end of its
// own group, with a fresh deduplication id: by the old one the queue would answer
// success, and for five minutes from the first send add nothing. The client's own
// retries keep the fresh one, so that they add one message.
func PutBack(ctx context.Context, client *sqs.Client, queueURL string, message []byte) error {
	stored, err := read(message)
	if err != nil {
		return err
	}
	in := &sqs.SendMessageInput{QueueUrl: &queueURL, MessageBody: &stored.Body, MessageAttributes: stored.attributes()}
	if stored.GroupID != "" {
		in.MessageGroupId = &stored.GroupID
	}
	if strings.HasSuffix(queueURL, ".fifo") {
		in.MessageDeduplicationId = aws.String(rand.Text())
		if stored.GroupID == "" { // it came from a standard queue, in no order
			in.MessageGroupId = in.MessageDeduplicationId
		}
	}
	_, err = client.SendMessage(ctx, in)
	return err
}

// FieldsOf reads a stored message as its delivery was read.
func FieldsOf(message []byte) (job.Fields, error) {
	stored, err := read(message)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for name, a := range stored.attributes() {
		if a.StringValue != nil {
			texts[name] = *a.StringValue
		}
	}
	return job.FieldsOfSQS([]byte(stored.Body), texts)
}

func read(message []byte) (stored StoredMessage, err error) {
	if err = json.Unmarshal(message, &stored); err != nil {
		err = fmt.Errorf("read stored message: %w", err)
	}
	return stored, err
}

// attributes gives each either its text or its bytes: the service takes none with
// both, and no empty one.
func (m StoredMessage) attributes() map[string]types.MessageAttributeValue {
	all := map[string]types.MessageAttributeValue{}
	for name, a := range m.Attributes {
		value := types.MessageAttributeValue{DataType: aws.String(a.Type)}
		if strings.HasPrefix(a.Type, "Binary") {
			value.BinaryValue = a.Binary
		} else {
			value.StringValue = aws.String(a.String)
		}
		all[name] = value
	}
	return all
}
