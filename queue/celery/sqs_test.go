package celery

import (
	"context"
	"encoding/base64"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// sqsRig is a queue with one worker that is driven by hand, through its proxy.
type sqsRig struct {
	*testing.T
	q    *Queue
	gate *wire.Gate
	say  *awssqs.Client
	url  *string
	step chan string // the ends of deliveries that the gate has seen
}

// onSQS is the endpoint's client by Celery's own address.
func onSQS(a queue.Addresses) *awssqs.Client {
	return awssqs.New(awssqs.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("lab", "lab", ""),
		BaseEndpoint: aws.String("http://" + a.Broker[len("sqs://lab:lab@"):]), RetryMaxAttempts: 1,
	})
}

func startSQSRig(t *testing.T) sqsRig {
	t.Helper()
	var none Servers
	q, err := none.Start(t.Context(), Settings{Broker: SQS, Task: "billing.charge", Visibility: 30 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	r := sqsRig{T: t, q: q, step: make(chan string, 100)}
	r.gate, r.say, r.url = r.worker("A")
	return r
}

func (r sqsRig) worker(name string) (*wire.Gate, *awssqs.Client, *string) {
	r.Helper()
	gate := wire.NewGate(func(e wire.Event) {
		r.q.Crossed(name, e)
		if e.Phase == wire.Forwarded && r.q.IsEnd(name, e.Step) {
			r.step <- e.Step.Text
		}
	})
	way, err := r.q.Listen(gate, name)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { gate.Shut(); way.Close(); gate.Close() })
	say := onSQS(way.Addresses())
	got, err := say.GetQueueUrl(r.Context(), &awssqs.GetQueueUrlInput{QueueName: aws.String("celery")})
	if err != nil {
		r.Fatal(err)
	}
	if *got.QueueUrl != way.Addresses().Queue {
		r.Errorf("the queue's URL is %s, which does not lead through the proxy at %s", *got.QueueUrl, way.Addresses().Queue)
	}
	return gate, say, got.QueueUrl
}

// take asks for a task, and gives the receipt, too.
func (r sqsRig) take() (m message, receipt *string) {
	r.Helper()
	got, err := r.say.ReceiveMessage(r.Context(), &awssqs.ReceiveMessageInput{QueueUrl: r.url, WaitTimeSeconds: 10})
	if err != nil || len(got.Messages) != 1 {
		r.Fatal(got, err)
	}
	m, ok := readSQS(*got.Messages[0].Body)
	if !ok {
		r.Fatal("no task: " + *got.Messages[0].Body)
	}
	return m, got.Messages[0].ReceiptHandle
}

func (r sqsRig) acknowledge(receipt *string) {
	r.Helper()
	if _, err := r.say.DeleteMessage(r.Context(), &awssqs.DeleteMessageInput{QueueUrl: r.url, ReceiptHandle: receipt}); err != nil {
		r.Fatal(err)
	}
}

func (r sqsRig) putBack(m message, in time.Duration) {
	r.Helper()
	copied := m.again()
	copied.Headers["eta"] = raw(time.Now().Add(in).UTC().Format("2006-01-02T15:04:05.999999-07:00"))
	body := base64.StdEncoding.EncodeToString(copied.encode())
	if _, err := r.say.SendMessage(r.Context(), &awssqs.SendMessageInput{QueueUrl: r.url, MessageBody: &body}); err != nil {
		r.Fatal(err)
	}
}

func (r sqsRig) advance(d time.Duration) {
	r.Helper()
	if err := r.q.Advance(d); err != nil {
		r.Fatal(err)
	}
}

// expect waits for so many events first: the log is read a moment after it was written.
func (r sqsRig) expect(n int, want string) {
	r.Helper()
	wait(r.T, r.q, func(s queue.Snapshot) bool { return len(s.Events) >= n })
	if got := told(r.q); got != want {
		r.Errorf("told %q, want %q", got, want)
	}
}

func TestOnSQSTheAcknowledgementIsTheEnd(t *testing.T) {
	r := startSQSRig(t)
	id := send(t, r.q)
	m, receipt := r.take()
	if m.id() != id || m.task() != "billing.charge" {
		t.Error(m.Headers)
	}
	r.expect(2, "sent1, received1 A")
	if s := r.q.Look(); s.InFlight != 1 || s.Idle["A"] || !s.NextDue || s.Due < 29*time.Minute {
		t.Errorf("at work it is %+v", s)
	}
	r.acknowledge(receipt)
	r.expect(3, "sent1, received1 A, deleted1 A")
	if step := <-r.step; step != stepAck {
		t.Errorf("it ended with %q", step)
	}
}

// No worker on SQS says when it has ended what it had acknowledged before.
func TestOnSQSWorkAfterTheAcknowledgementIsUnseen(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	_, receipt := r.take()
	r.acknowledge(receipt)
	r.acts(wire.Request)
	r.expect(3, "sent1, received1 A, end_unseen1 A")
	if s := r.q.Look(); s.InFlight != 1 {
		t.Errorf("%+v", s)
	}
	r.q.Dead("A")
	r.advance(time.Second)
	r.expect(5, "sent1, received1 A, end_unseen1 A, lost_early1 A, redelivered2")
}

// Nor when it begins late.
func TestOnSQSLateWorkAfterTheAcknowledgementIsUnseen(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	_, receipt := r.take()
	r.acknowledge(receipt)
	r.expect(3, "sent1, received1 A, deleted1 A")
	r.acts(wire.Request)
	r.expect(4, "sent1, received1 A, deleted1 A, end_unseen1 A")
}

// What a worker does with the next one in hand is for that.
func TestOnSQSWorkOnTheNextOneIsSeen(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	send(t, r.q)
	_, receipt := r.take()
	r.acknowledge(receipt)
	_, next := r.take()
	r.acts(wire.Request, wire.Passed)
	r.acknowledge(next)
	const done = "sent1, sent1, received1 A, received1 A, deleted1 A, deleted1 A"
	r.expect(6, done)
	r.acts(wire.Request)
	r.expect(6, done)
}

// acts is what the gate tells of a call of the worker's.
func (r sqsRig) acts(phases ...wire.Phase) {
	for _, phase := range phases {
		r.q.Crossed("A", wire.Event{Phase: phase, Step: wire.Step{Peer: "outside", Text: "POST /charges"}})
	}
}

// Work before it shows that it is the end, whatever the worker says afterwards.
func TestOnSQSWorkBeforeTheAcknowledgementIsSeen(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	_, receipt := r.take()
	r.acts(wire.Request, wire.Passed)
	r.acknowledge(receipt)
	r.expect(3, "sent1, received1 A, deleted1 A")
	r.acts(wire.Request, wire.Passed)
	r.expect(3, "sent1, received1 A, deleted1 A")
}

func TestOnSQSPutBackAndItsTime(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	m, receipt := r.take()
	r.putBack(m, time.Minute)
	r.acknowledge(receipt)
	_, kept := r.take()
	wait(t, r.q, func(s queue.Snapshot) bool { return s.Delayed == 1 && s.InFlight == 0 && s.Due > 30*time.Second })
	r.advance(s30)
	if n := r.q.Look().Visible; n != 0 {
		t.Error("there before its time")
	}
	r.advance(s30 + time.Second)
	now, again := r.take()
	if _, timed := now.eta(); timed || now.id() != m.id() {
		t.Error(now.Headers)
	}
	r.acknowledge(kept) // its worker lets the one in memory go: no end of any
	r.acknowledge(again)
	r.expect(6, "sent1, received1 A, visibility_changed1 A, visibility_over1, received1 A, deleted1 A")
}

// What a dead worker has is there again when the queue's own visibility timeout is over.
func TestOnSQSADeadWorkersTask(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	r.take()
	r.gate.Shut()
	if err := r.gate.Quiet(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.q.Dead("A")
	r.advance(time.Minute)
	if s := r.q.Look(); s.InFlight != 1 || s.Visible != 0 || s.Due < 28*time.Minute {
		t.Errorf("there before its time: %+v", s)
	}
	r.advance(r.q.Look().Due)
	r.expect(3, "sent1, received1 A, visibility_over1")
	_, r.say, r.url = r.worker("B")
	_, receipt := r.take()
	r.acknowledge(receipt)
	r.expect(5, "sent1, received1 A, visibility_over1, received1 B, deleted1 B")
}

// A task that is rejected is there again after the wait time, or at once.
func TestOnSQSGivenBack(t *testing.T) {
	r := startSQSRig(t)
	send(t, r.q)
	_, receipt := r.take()
	_, err := r.say.ChangeMessageVisibility(t.Context(), &awssqs.ChangeMessageVisibilityInput{QueueUrl: r.url, ReceiptHandle: receipt, VisibilityTimeout: 100})
	if err != nil {
		t.Fatal(err)
	}
	r.expect(3, "sent1, received1 A, visibility_changed1 A")
	if s := r.q.Look(); s.Due > 101*time.Second || s.Due < 50*time.Second {
		t.Errorf("%+v", s)
	}
	r.advance(r.q.Look().Due)
	r.take()
	r.expect(5, "sent1, received1 A, visibility_changed1 A, visibility_over1, received1 A")
}

// Two polls that wait get one copy each, also where each would take ten.
func TestOnSQSTwoCopiesGoToTwoWorkers(t *testing.T) {
	r := startSQSRig(t)
	_, other, url := r.worker("B")
	for _, say := range []*awssqs.Client{r.say, other} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		t.Cleanup(func() { cancel(); <-ended })
		go func() {
			defer close(ended)
			_, _ = say.ReceiveMessage(ctx, &awssqs.ReceiveMessageInput{QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 20}) // the log has it
		}()
	}
	wait(t, r.q, func(s queue.Snapshot) bool { return s.Asking["A"] && s.Idle["B"] })
	if _, err := r.q.SendTwice(queue.Message{Body: "{}"}); err != nil {
		t.Fatal(err)
	}
	wait(t, r.q, func(s queue.Snapshot) bool { return s.InFlight == 2 && !s.Idle["A"] && !s.Idle["B"] })
	if err := r.q.Lose(); err != nil {
		t.Fatal(err)
	}
	if s := r.q.Look(); s.Left() != 0 || s.Count(queue.Gone) != 2 {
		t.Errorf("%+v", s)
	}
}
