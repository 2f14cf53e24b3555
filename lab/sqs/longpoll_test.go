package sqs

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func TestLongPollWakesOnSend(t *testing.T) {
	s := newShell(t, "q", nil)
	got := s.poll(s.ctx, 1)
	id := s.send(Message{})
	if all := s.ids(got); !slices.Equal(all, []string{id}) {
		t.Error(all)
	}
}

func TestLongPollWakesOnClockJump(t *testing.T) {
	s := newShell(t, "q", nil)
	id := s.send(Message{})
	s.receive(awssqs.ReceiveMessageInput{VisibilityTimeout: 3600})
	got := s.poll(s.ctx, 1)
	s.Advance(time.Hour - time.Minute)
	if n := s.Polling("q"); n != 1 {
		t.Fatal("woken by a jump that ends nothing")
	}
	s.Advance(time.Minute)
	if all := s.ids(got); !slices.Equal(all, []string{id}) {
		t.Error(all)
	}
}

// The machine's own time ends a visibility timeout too.
func TestLongPollWakesWhenVisibilityEnds(t *testing.T) {
	t.Parallel()
	s := newShell(t, "q", nil)
	id := s.send(Message{})
	s.receive(awssqs.ReceiveMessageInput{VisibilityTimeout: 1})
	if all := s.ids(s.poll(s.ctx, 1)); !slices.Equal(all, []string{id}) {
		t.Error(all)
	}
	over := slices.IndexFunc(s.Log("q"), func(e Event) bool { return e.Kind == VisibilityOver })
	if over < 0 || s.Log("q")[over+1].Kind != Received {
		t.Errorf("%+v", s.Log("q"))
	}
}

func TestLongPollWakesOnVisibilityZero(t *testing.T) {
	s := newShell(t, "q", nil)
	id := s.send(Message{})
	receipt := s.receive(awssqs.ReceiveMessageInput{}).Messages[0].ReceiptHandle
	got := s.poll(s.ctx, 1)
	_, err := s.client.ChangeMessageVisibility(s.ctx, &awssqs.ChangeMessageVisibilityInput{QueueUrl: s.url, ReceiptHandle: receipt})
	if err != nil {
		t.Fatal(err)
	}
	if all := s.ids(got); !slices.Equal(all, []string{id}) {
		t.Error(all)
	}
}

func TestLongPollEndsEmpty(t *testing.T) {
	t.Parallel()
	s := newShell(t, "q", nil)
	if out := s.receive(awssqs.ReceiveMessageInput{WaitTimeSeconds: 1}); len(out.Messages) != 0 {
		t.Error(out.Messages)
	}
	if n := s.Polling("q"); n != 0 {
		t.Error("still polling:", n)
	}
}

// A client that has gone takes no message: the next one gets it, as the first
// receive.
func TestClientThatHasGoneTakesNothing(t *testing.T) {
	s := newShell(t, "q", nil)
	ctx, cancel := context.WithCancel(s.ctx)
	gone := s.poll(ctx, 1)
	cancel()
	if a := <-gone; a.err == nil {
		t.Fatal("the client did not go")
	}
	s.until(func(now Snapshot) bool { return now.Polling == 0 })
	s.send(Message{})
	if n := s.Counts("q"); n != (Counts{Visible: 1}) {
		t.Errorf("%+v", n)
	}
	// The control: a client that stays takes it.
	out := s.receive(awssqs.ReceiveMessageInput{MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"}})
	if len(out.Messages) != 1 || out.Messages[0].Attributes["ApproximateReceiveCount"] != "1" {
		t.Errorf("%+v", out.Messages)
	}
}

// The context is looked at when the message is taken, not only when the poll
// is ended.
func TestCancelledRequestTakesNothing(t *testing.T) {
	s := newShell(t, "q", nil)
	s.send(Message{})
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	got, err := s.Endpoint.receive(ctx, "q", receiving{max: 1}, nil)
	if len(got) != 0 || err != nil || s.Counts("q").Visible != 1 {
		t.Error(got, err)
	}
	if got, _ := s.Endpoint.receive(s.ctx, "q", receiving{max: 1}, nil); len(got) != 1 { // control
		t.Error("nothing taken by a live request")
	}
}

// Also when the client goes just before the message comes, and nobody has
// taken its poll out yet.
func TestPollOfOneThatHasGoneIsPassedOver(t *testing.T) {
	s := newShell(t, "q", nil)
	gone, cancel := context.WithCancel(s.ctx)
	cancel()
	polls := map[string]*poll{}
	s.do(func(time.Time) {
		q := s.account.queues["q"]
		for name, ctx := range map[string]context.Context{"gone": gone, "live": s.ctx} {
			polls[name] = &poll{receiving: receiving{max: 1}, ctx: ctx, got: make(chan []received, 1)}
			e := s.Endpoint
			e.polls[q] = append(e.polls[q], polls[name])
		}
	})
	if _, err := s.SendTwice("q", Message{Body: "b"}); err != nil {
		t.Fatal(err)
	}
	if len(polls["gone"].got) != 0 || len(polls["live"].got) != 1 || s.Counts("q") != (Counts{Visible: 1, InFlight: 1}) {
		t.Errorf("%+v", s.Counts("q"))
	}
}

// What is there is shared, though the first poll would take all of it.
func TestWaitingPollsShare(t *testing.T) {
	put := map[string]func(s shell) error{
		"one message twice": func(s shell) error { _, err := s.SendTwice("q", Message{Body: "b"}); return err },
		"two messages":      func(s shell) error { _, err := s.SendPair("q", Message{Body: "b"}); return err },
	}
	for name, send := range put {
		s := newShell(t, "q", nil)
		first, second := s.poll(s.ctx, 10), s.poll(s.ctx, 10)
		if err := send(s); err != nil {
			t.Fatal(err)
		}
		if a, b := s.ids(first), s.ids(second); len(a) != 1 || len(b) != 1 {
			t.Errorf("%s: %v %v", name, a, b)
		}
		if n := s.Counts("q"); n != (Counts{InFlight: 2}) {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

func TestCloseEndsLongPolls(t *testing.T) {
	e, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.CreateQueue("q", nil); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r, err := http.Post(e.URL(), "application/x-www-form-urlencoded",
			strings.NewReader("Action=ReceiveMessage&WaitTimeSeconds=20&QueueUrl=q"))
		if err == nil {
			_ = r.Body.Close()
		}
	}()
	if err := e.Wait(t.Context(), "q", func(s Snapshot) bool { return s.Polling == 1 }); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	<-ended
	// The last instructions of a goroutine that has said "done" may still be
	// seen; one that stays makes the test run out of time.
	for strings.Contains(stacks(), "(*Endpoint)") {
		runtime.Gosched()
	}
	if err := e.Wait(t.Context(), "q", func(Snapshot) bool { return false }); err == nil {
		t.Error("Wait goes on after Close")
	}
	if err := e.Close(); err != nil {
		t.Error("closing twice:", err)
	}
}

func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}
