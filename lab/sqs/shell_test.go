package sqs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
)

// shell is an endpoint with one queue and the real client in front of it.
type shell struct {
	*Endpoint
	t      testing.TB
	ctx    context.Context
	client *awssqs.Client
	name   string
	url    *string
}

func newShell(t testing.TB, name string, attributes map[string]string) shell {
	t.Helper()
	e, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	url, err := e.CreateQueue(name, attributes)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return shell{e, t, ctx, newClient(e.URL()), name, &url}
}

func newClient(url string) *awssqs.Client {
	secret := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
	})
	return awssqs.New(awssqs.Options{BaseEndpoint: &url, Region: region, Credentials: secret, RetryMaxAttempts: 1})
}

// answer is a message or its lack, with what went wrong.
type answer struct {
	out *awssqs.ReceiveMessageOutput
	err error
}

// poll starts a long poll of 20 s and returns when it waits.
func (s shell) poll(ctx context.Context, limit int32) <-chan answer {
	s.t.Helper()
	before := s.Polling(s.name)
	got := make(chan answer, 1)
	go func() {
		out, err := s.client.ReceiveMessage(ctx, &awssqs.ReceiveMessageInput{
			QueueUrl: s.url, WaitTimeSeconds: 20, MaxNumberOfMessages: limit,
		})
		got <- answer{out, err}
	}()
	s.until(func(now Snapshot) bool { return now.Polling == before+1 })
	return got
}

func (s shell) until(ok func(Snapshot) bool) {
	s.t.Helper()
	if err := s.Wait(s.ctx, s.name, ok); err != nil {
		s.t.Fatal(err)
	}
}

// ids waits for a poll's answer.
func (s shell) ids(got <-chan answer) []string {
	s.t.Helper()
	select {
	case a := <-got:
		if a.err != nil {
			s.t.Fatal(a.err)
		}
		var all []string
		for _, m := range a.out.Messages {
			all = append(all, *m.MessageId)
		}
		return all
	case <-s.ctx.Done():
		s.t.Fatal("the long poll did not wake")
		return nil
	}
}

func (s shell) send(m Message) string {
	s.t.Helper()
	if m.Body == "" {
		m.Body = "body"
	}
	id, err := s.Send(s.name, m)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s shell) receive(in awssqs.ReceiveMessageInput) *awssqs.ReceiveMessageOutput {
	s.t.Helper()
	in.QueueUrl = s.url
	out, err := s.client.ReceiveMessage(s.ctx, &in)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s shell) wantCode(err error, want string) {
	s.t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != want {
		s.t.Errorf("got %v, want code %s", err, want)
	}
}
