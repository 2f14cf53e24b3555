package sqs

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func TestQueueActions(t *testing.T) {
	s := newShell(t, "q", nil)
	made, err := s.client.CreateQueue(s.ctx, &awssqs.CreateQueueInput{QueueName: aws.String("q2"), Attributes: map[string]string{"DelaySeconds": "3"}})
	if err != nil || *made.QueueUrl != s.URL()+"/000000000000/q2" {
		t.Fatal(made, err)
	}
	got, err := s.client.GetQueueUrl(s.ctx, &awssqs.GetQueueUrlInput{QueueName: aws.String("q2")})
	if err != nil || *got.QueueUrl != *made.QueueUrl {
		t.Error(got, err)
	}
	list, err := s.client.ListQueues(s.ctx, &awssqs.ListQueuesInput{QueueNamePrefix: aws.String("q"), MaxResults: aws.Int32(1)})
	if err != nil || !slices.Equal(list.QueueUrls, []string{*s.url}) || list.NextToken == nil {
		t.Error(list, err)
	}
	list, err = s.client.ListQueues(s.ctx, &awssqs.ListQueuesInput{MaxResults: aws.Int32(1), NextToken: list.NextToken})
	if err != nil || !slices.Equal(list.QueueUrls, []string{*made.QueueUrl}) || list.NextToken != nil {
		t.Error(list, err)
	}
	_, err = s.client.SetQueueAttributes(s.ctx, &awssqs.SetQueueAttributesInput{QueueUrl: made.QueueUrl, Attributes: map[string]string{"VisibilityTimeout": "7"}})
	if err != nil {
		t.Error(err)
	}
	all, err := s.client.GetQueueAttributes(s.ctx, &awssqs.GetQueueAttributesInput{QueueUrl: made.QueueUrl, AttributeNames: []types.QueueAttributeName{"All"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"VisibilityTimeout": "7", "DelaySeconds": "3", "MessageRetentionPeriod": "345600",
		"QueueArn": "arn:aws:sqs:us-east-1:000000000000:q2", "ApproximateNumberOfMessages": "0",
	} {
		if all.Attributes[name] != want {
			t.Errorf("%s is %q, want %q", name, all.Attributes[name], want)
		}
	}
	s.send(Message{})
	if _, err := s.client.PurgeQueue(s.ctx, &awssqs.PurgeQueueInput{QueueUrl: s.url}); err != nil || s.Counts("q") != (Counts{}) {
		t.Error(err)
	}
	_, err = s.client.PurgeQueue(s.ctx, &awssqs.PurgeQueueInput{QueueUrl: s.url})
	if is := new(types.PurgeQueueInProgress); !errors.As(err, &is) {
		t.Error(err)
	}
}

func TestSendReceiveDelete(t *testing.T) {
	s := newShell(t, "q", nil)
	before := s.Clock().Now().UnixMilli()
	sent, err := s.client.SendMessage(s.ctx, &awssqs.SendMessageInput{
		QueueUrl: s.url, MessageBody: aws.String("msg"),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"Hello":  {DataType: aws.String("String"), StringValue: aws.String("There")},
			"Binary": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 1, 2}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := s.receive(awssqs.ReceiveMessageInput{
		MessageAttributeNames:       []string{"Hel.*"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
	})
	m := out.Messages[0]
	if *m.MessageId != *sent.MessageId || *m.Body != "msg" || *m.MD5OfBody != *sent.MD5OfMessageBody {
		t.Errorf("%+v", m)
	}
	if *m.MD5OfMessageAttributes != "a311262e065454b75da111d535b8dacd" || len(m.MessageAttributes) != 1 {
		t.Errorf("%+v", m.MessageAttributes)
	}
	at, _ := strconv.ParseInt(m.Attributes["SentTimestamp"], 10, 64)
	if at < before || m.Attributes["ApproximateFirstReceiveTimestamp"] == "" || m.Attributes["ApproximateReceiveCount"] != "1" {
		t.Error(m.Attributes)
	}
	if _, err := s.client.DeleteMessage(s.ctx, &awssqs.DeleteMessageInput{QueueUrl: s.url, ReceiptHandle: m.ReceiptHandle}); err != nil {
		t.Error(err)
	}
	s.Advance(time.Hour)
	if out := s.receive(awssqs.ReceiveMessageInput{}); len(out.Messages) != 0 {
		t.Error("received after delete")
	}
}

func TestBothNamesOfSystemAttributes(t *testing.T) {
	s := newShell(t, "q.fifo", fifoQueue)
	s.send(Message{GroupID: "g", DeduplicationID: "d"})
	timeout := func() { s.Advance(30 * time.Second) }
	//nolint:staticcheck // the deprecated name is what is tested
	old := s.receive(awssqs.ReceiveMessageInput{AttributeNames: []types.QueueAttributeName{"All"}}).Messages[0]
	timeout()
	newer := s.receive(awssqs.ReceiveMessageInput{MessageSystemAttributeNames: []types.MessageSystemAttributeName{
		"MessageGroupId", "MessageDeduplicationId", "SequenceNumber", "ApproximateReceiveCount"}}).Messages[0]
	timeout()
	none := s.receive(awssqs.ReceiveMessageInput{}).Messages[0]
	if len(none.Attributes) != 0 || len(newer.Attributes) != 4 || len(old.Attributes) != 7 {
		t.Error(none.Attributes, newer.Attributes, old.Attributes)
	}
	if newer.Attributes["MessageGroupId"] != "g" || newer.Attributes["MessageDeduplicationId"] != "d" ||
		newer.Attributes["ApproximateReceiveCount"] != "2" || newer.Attributes["SequenceNumber"] != old.Attributes["SequenceNumber"] {
		t.Error(newer.Attributes)
	}
}

func TestFifoDuplicateAnswersTheFirst(t *testing.T) {
	s := newShell(t, "q.fifo", fifoQueue)
	in := &awssqs.SendMessageInput{QueueUrl: s.url, MessageBody: aws.String("b"), MessageGroupId: aws.String("g")}
	first, err := s.client.SendMessage(s.ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.client.SendMessage(s.ctx, in)
	if err != nil || *second.MessageId != *first.MessageId || *second.SequenceNumber != *first.SequenceNumber {
		t.Error(second, err)
	}
	s.Advance(5 * time.Minute)
	if third, err := s.client.SendMessage(s.ctx, in); err != nil || *third.MessageId == *first.MessageId {
		t.Error(third, err)
	}
}

func TestBatches(t *testing.T) {
	s := newShell(t, "q", nil)
	sent, err := s.client.SendMessageBatch(s.ctx, &awssqs.SendMessageBatchInput{QueueUrl: s.url, Entries: []types.SendMessageBatchRequestEntry{
		{Id: aws.String("1"), MessageBody: aws.String("one")},
		{Id: aws.String("2"), MessageBody: aws.String("bad \x01")},
		{Id: aws.String("3"), MessageBody: aws.String("three"), DelaySeconds: 60},
	}})
	if err != nil || len(sent.Successful) != 2 || len(sent.Failed) != 1 || *sent.Failed[0].Code != "InvalidMessageContents" {
		t.Fatalf("%+v %v", sent, err)
	}
	s.Advance(time.Minute)
	got := s.receive(awssqs.ReceiveMessageInput{MaxNumberOfMessages: 10}).Messages
	if len(got) != 2 {
		t.Fatal(got)
	}
	changed, err := s.client.ChangeMessageVisibilityBatch(s.ctx, &awssqs.ChangeMessageVisibilityBatchInput{QueueUrl: s.url, Entries: []types.ChangeMessageVisibilityBatchRequestEntry{
		{Id: aws.String("1"), ReceiptHandle: got[0].ReceiptHandle, VisibilityTimeout: 0},
		{Id: aws.String("2"), ReceiptHandle: aws.String("bad"), VisibilityTimeout: 1},
	}})
	if err != nil || len(changed.Successful) != 1 || *changed.Failed[0].Code != "ReceiptHandleIsInvalid" || s.Counts("q").Visible != 1 {
		t.Errorf("%+v %v", changed, err)
	}
	deleted, err := s.client.DeleteMessageBatch(s.ctx, &awssqs.DeleteMessageBatchInput{QueueUrl: s.url, Entries: []types.DeleteMessageBatchRequestEntry{
		{Id: aws.String("1"), ReceiptHandle: got[0].ReceiptHandle},
		{Id: aws.String("2"), ReceiptHandle: got[1].ReceiptHandle},
		{Id: aws.String("3"), ReceiptHandle: aws.String("bad")},
	}})
	if err != nil || len(deleted.Successful) != 2 || !deleted.Failed[0].SenderFault || s.Counts("q") != (Counts{}) {
		t.Errorf("%+v %v", deleted, err)
	}
}

func TestBatchesThatAreRefusedWhole(t *testing.T) {
	s := newShell(t, "q", nil)
	en := func(id string) types.DeleteMessageBatchRequestEntry {
		return types.DeleteMessageBatchRequestEntry{Id: &id, ReceiptHandle: aws.String("r")}
	}
	for code, entries := range map[string][]types.DeleteMessageBatchRequestEntry{
		"EmptyBatchRequest":            {},
		"BatchEntryIdsNotDistinct":     {en("a"), en("a")},
		"InvalidBatchEntryId":          {en("a:b")},
		"TooManyEntriesInBatchRequest": slices.Repeat([]types.DeleteMessageBatchRequestEntry{en("a")}, 11),
	} {
		_, err := s.client.DeleteMessageBatch(s.ctx, &awssqs.DeleteMessageBatchInput{QueueUrl: s.url, Entries: entries})
		s.wantCode(err, simple+code)
	}
}

func TestErrorsOverHTTP(t *testing.T) {
	s := newShell(t, "q", nil)
	_, err := s.client.GetQueueUrl(s.ctx, &awssqs.GetQueueUrlInput{QueueName: aws.String("none")})
	if is := new(types.QueueDoesNotExist); !errors.As(err, &is) {
		t.Error(err)
	}
	s.wantCode(err, "AWS.SimpleQueueService.NonExistentQueue")
	_, err = s.client.DeleteMessage(s.ctx, &awssqs.DeleteMessageInput{QueueUrl: s.url, ReceiptHandle: aws.String("bad")})
	if is := new(types.ReceiptHandleIsInvalid); !errors.As(err, &is) {
		t.Error(err)
	}
	s.send(Message{})
	receipt := s.receive(awssqs.ReceiveMessageInput{}).Messages[0].ReceiptHandle
	s.Advance(time.Minute)
	_, err = s.client.ChangeMessageVisibility(s.ctx, &awssqs.ChangeMessageVisibilityInput{QueueUrl: s.url, ReceiptHandle: receipt, VisibilityTimeout: 9})
	if is := new(types.MessageNotInflight); !errors.As(err, &is) {
		t.Error(err)
	}
	_, err = s.client.ReceiveMessage(s.ctx, &awssqs.ReceiveMessageInput{QueueUrl: s.url, MaxNumberOfMessages: 11})
	s.wantCode(err, "InvalidParameterValue")
	_, err = s.client.DeleteQueue(s.ctx, &awssqs.DeleteQueueInput{QueueUrl: s.url}) // not spoken
	s.wantCode(err, "InvalidAction")
}

// The client may come through a proxy: neither Host nor the queue's URL says
// where it went.
func TestOnlyTheLastPathElementCounts(t *testing.T) {
	s := newShell(t, "q", nil)
	for _, url := range []string{"http://other.example:1/123/q", "q", "https://sqs.eu-west-1.amazonaws.com/1/q"} {
		if _, err := s.client.SendMessage(s.ctx, &awssqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String("b")}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if n := s.Counts("q").Visible; n != 3 {
		t.Error(n)
	}
	r, _ := http.NewRequest("POST", s.URL(), strings.NewReader(`{"QueueName":"q"}`))
	r.Header.Set("X-Amz-Target", "AmazonSQS.GetQueueUrl")
	r.Host = "evil.example"
	if body := do(t, r); !strings.Contains(body, s.URL()) || strings.Contains(body, "evil") {
		t.Error(body)
	}
	s.Via("A", "http://proxy.example")
	r.Header.Set("X-Twiceproof-Worker", "A")
	r.Body = io.NopCloser(strings.NewReader(`{"QueueName":"q"}`))
	if body := do(t, r); !strings.Contains(body, "http://proxy.example/000000000000/q") {
		t.Error(body)
	}
}
