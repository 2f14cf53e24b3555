package replay

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// A worker that waited, and put its message back, was not busy.
func TestWaitingIsNoMeasureOfTheWork(t *testing.T) {
	q, err := sqs.Start(sqs.Settings{Visibility: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	w := &world{lab: &lab{}, queue: q}
	id, err := q.Send(queue.Message{Body: "{}"})
	if err != nil || id == "" {
		t.Fatal(err)
	}
	t.Setenv("QUEUE_URL", q.Direct().Queue)
	t.Setenv("AWS_ENDPOINT_URL_SQS", q.Direct().Broker)
	got := call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 1})
	if len(got) != 1 || w.acknowledged() {
		t.Fatalf("received %d, acknowledged %t", len(got), w.acknowledged())
	}
	call("DeleteMessage", map[string]any{"ReceiptHandle": got[0].(map[string]any)["ReceiptHandle"]})
	if !w.acknowledged() {
		t.Error("the acknowledgement is not seen")
	}
}

// In a race nobody is given up before its longest run is over.
func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		races   bool
		longest time.Duration
		busiest time.Duration
		want    time.Duration
	}{
		{false, time.Minute, 0, 5 * time.Second},
		{false, time.Minute, 4 * time.Second, 8 * time.Second},
		{true, time.Second, 0, leastInRace},
		{true, time.Minute, 0, time.Minute + time.Second},
		{true, time.Hour, 0, mostInRace + time.Second},
	} {
		w := &world{lab: &lab{busiest: map[string]time.Duration{"new": c.busiest}}, plan: judge.Planned{Version: "new", Races: c.races}}
		w.Spec, w.Job.LongestRun = &jobfile.Replay{Timeouts: jobfile.Timeouts{Recovery: 5 * time.Second}}, c.longest
		if got := w.recovery(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
