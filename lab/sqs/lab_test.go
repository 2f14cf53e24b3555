package sqs

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

func kinds(events []Event) string {
	var all []string
	for _, e := range events {
		all = append(all, string(e.Kind))
	}
	return strings.Join(all, " ")
}

func TestRedeliverOverHTTP(t *testing.T) {
	s := newShell(t, "q", nil)
	id := s.send(Message{})
	first := s.receive(awssqs.ReceiveMessageInput{}).Messages[0]
	if err := s.Redeliver("q", id); err != nil { // while the first copy is in flight
		t.Fatal(err)
	}
	second := s.receive(awssqs.ReceiveMessageInput{}).Messages[0]
	if *second.MessageId != id || *second.ReceiptHandle == *first.ReceiptHandle {
		t.Errorf("%v %v", *second.MessageId, *second.ReceiptHandle)
	}
	for i, receipt := range []*string{first.ReceiptHandle, second.ReceiptHandle} {
		if _, err := s.client.DeleteMessage(s.ctx, &awssqs.DeleteMessageInput{QueueUrl: s.url, ReceiptHandle: receipt}); err != nil {
			t.Fatal(err)
		}
		if n := s.Counts("q").InFlight; n != 1-i {
			t.Errorf("%d in flight after %d deletes", n, i+1)
		}
	}
	if got := kinds(s.Log("q")); got != "sent received redelivered received deleted deleted" {
		t.Error(got)
	}
	if err := s.Redeliver("q", "none"); err == nil {
		t.Error("redelivered a message that was never sent")
	}
}

func TestSendTwiceIsOneMessage(t *testing.T) {
	s := newShell(t, "q", nil)
	id, err := s.SendTwice("q", Message{Body: "b"})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := s.SendPair("q", Message{Body: "b"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 4 {
		got = append(got, *s.receive(awssqs.ReceiveMessageInput{}).Messages[0].MessageId)
	}
	if want := []string{id, id, pair[0], pair[1]}; !slices.Equal(got, want) || pair[0] == pair[1] {
		t.Errorf("%v, want %v", got, want)
	}
	if out := s.receive(awssqs.ReceiveMessageInput{MaxNumberOfMessages: 10}); len(out.Messages) != 0 {
		t.Error("a fifth")
	}
}

func TestSendAllAndRemove(t *testing.T) {
	s := newShell(t, "q", nil)
	if err := s.SendAll("q", Message{Body: "a"}, Message{Body: "b"}); err != nil {
		t.Fatal(err)
	}
	first := s.receive(awssqs.ReceiveMessageInput{}).Messages[0]
	if got := s.Body("q", *first.MessageId); got != "a" || s.Body("q", "none")+s.Body("none", *first.MessageId) != "" {
		t.Error(got)
	}
	s.Remove("q", *first.MessageId, 2)
	s.Remove("none", *first.MessageId, 1)
	if n := s.Counts("q"); n.InFlight != 1 || n.Visible != 1 {
		t.Errorf("%+v, though there is no such copy", n)
	}
	s.Remove("q", *first.MessageId, 1)
	if n := s.Counts("q"); n.InFlight != 0 || n.Visible != 1 {
		t.Errorf("%+v", n)
	}
	if got := kinds(s.Log("q")); got != "sent sent received gone" {
		t.Error(got)
	}
	if err := s.SendAll("none", Message{Body: "a"}); err == nil {
		t.Error("there is no such queue")
	}
}

func TestEventsNameTheClient(t *testing.T) {
	s := newShell(t, "q", nil)
	s.send(Message{})
	r, _ := http.NewRequest("POST", s.URL(), strings.NewReader(`{"QueueUrl":"q"}`))
	r.Header.Set("X-Amz-Target", "AmazonSQS.ReceiveMessage")
	r.Header.Set("X-Twiceproof-Worker", "worker-1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	s.Advance(30 * time.Second)
	s.receive(awssqs.ReceiveMessageInput{})
	events := s.Log("q")
	if events[1].Client != "worker-1" || !strings.HasPrefix(events[3].Client, "127.0.0.1:") {
		t.Errorf("%+v", events)
	}
	if e := events[3]; e.ReceiveCount != 2 || e.Copy != 1 || e.Receipt == "" || e.Visibility != 30*time.Second {
		t.Errorf("%+v", e)
	}
}

func TestWait(t *testing.T) {
	s := newShell(t, "q", nil)
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	never := func(Snapshot) bool { return false }
	if err := s.Wait(ctx, "q", never); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Wait(s.ctx, "none", never); codeOf(err) != "AWS.SimpleQueueService.NonExistentQueue" {
		t.Error(err)
	}
	id := s.send(Message{Delay: time.Minute})
	done := make(chan error, 1)
	go func() {
		done <- s.Wait(s.ctx, "q", func(now Snapshot) bool { return now.Visible == 1 })
	}()
	s.Advance(time.Minute)
	if err := <-done; err != nil {
		t.Error(err)
	}
	last := s.Log("q")[1]
	if last.Kind != DelayOver || last.MessageID != id {
		t.Errorf("%+v", last)
	}
}

// The machine's time wakes Wait too.
func TestWaitSeesVisibilityEnd(t *testing.T) {
	t.Parallel()
	s := newShell(t, "q", nil)
	s.send(Message{})
	s.receive(awssqs.ReceiveMessageInput{VisibilityTimeout: 1})
	s.until(func(now Snapshot) bool { return now.Visible == 1 })
}

func TestLogIsACopy(t *testing.T) {
	s := newShell(t, "q", nil)
	s.send(Message{})
	s.Log("q")[0].Kind = "changed"
	if s.Log("q")[0].Kind != Sent {
		t.Error("the log can be changed from outside")
	}
}

func TestUnknownQueue(t *testing.T) {
	s := newShell(t, "q", nil)
	if _, err := s.Send("none", Message{Body: "b"}); err == nil {
		t.Error("sent")
	}
	if err := s.Redeliver("none", "id"); err == nil {
		t.Error("redelivered")
	}
	if s.Counts("none") != (Counts{}) || s.Polling("none") != 0 || s.Log("none") != nil {
		t.Error("a queue that does not exist holds something")
	}
}

func TestLoseForgetsAlsoWhatIsInFlight(t *testing.T) {
	s := newShell(t, "q", nil)
	s.send(Message{Body: "taken"})
	taken := s.receive(awssqs.ReceiveMessageInput{}).Messages[0]
	s.send(Message{Body: "waiting"})
	if err := s.Lose("q"); err != nil {
		t.Fatal(err)
	}
	if c := s.Counts("q"); c != (Counts{}) {
		t.Errorf("left: %+v", c)
	}
	if _, err := s.client.DeleteMessage(s.ctx, &awssqs.DeleteMessageInput{QueueUrl: s.url, ReceiptHandle: taken.ReceiptHandle}); err != nil {
		t.Errorf("the receipt of a lost message: %v", err)
	}
	if got := kinds(s.Log("q")); got != "sent received sent gone gone delete_repeated" {
		t.Error(got)
	}
	if err := s.Lose("none"); err == nil {
		t.Error("a queue that does not exist lost something")
	}
}
