package sqs

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Send, receive and delete one message with the real client.
func BenchmarkSendReceiveDelete(b *testing.B) {
	s := newShell(b, "q", nil)
	for b.Loop() {
		if _, err := s.client.SendMessage(s.ctx, &awssqs.SendMessageInput{QueueUrl: s.url, MessageBody: aws.String("body")}); err != nil {
			b.Fatal(err)
		}
		out := s.receive(awssqs.ReceiveMessageInput{WaitTimeSeconds: 20})
		if _, err := s.client.DeleteMessage(s.ctx, &awssqs.DeleteMessageInput{QueueUrl: s.url, ReceiptHandle: out.Messages[0].ReceiptHandle}); err != nil {
			b.Fatal(err)
		}
	}
}

// The same in the pure code alone.
func BenchmarkPureSendReceiveDelete(b *testing.B) {
	a := newAccount()
	_ = a.create(t0, "q", nil)
	q := a.queues["q"]
	for b.Loop() {
		_, _ = q.send(t0, sending{Message: Message{Body: "body"}, id: "id"})
		got := a.receive(t0, q, receiving{max: 1})
		if err := q.delete(t0, got[0].receipt, ""); err != nil {
			b.Fatal(err)
		}
	}
}
