package replay

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/sqs"
)

func TestNextDue(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(after time.Duration, kind queue.Kind, copy int, visibility time.Duration) queue.Event {
		return queue.Event{At: start.Add(after), Kind: kind, Message: "m", Copy: copy, For: visibility}
	}
	const s = time.Second
	for _, c := range []struct {
		name string
		log  []queue.Event
		want time.Duration // and a millisecond
		any  bool
	}{
		{"nothing", nil, 0, false},
		{"sent only", []queue.Event{at(0, queue.Sent, 1, 0)}, 0, false},
		{"in hand", []queue.Event{at(0, queue.Received, 1, 30*s)}, 20 * s, true},
		{"put back", []queue.Event{at(0, queue.Received, 1, 30*s), at(5*s, queue.VisibilityChanged, 1, 60*s)}, 55 * s, true},
		{"deleted", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.Deleted, 1, 0)}, 0, false},
		{"given up", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.DeadLettered, 1, 0)}, 0, false},
		{"visible again", []queue.Event{at(0, queue.Received, 1, 5*s), at(5*s, queue.VisibilityOver, 1, 0)}, 0, false},
		{"purged", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.Purged, 1, 0)}, 0, false},
		{"too old", []queue.Event{at(0, queue.Received, 1, 30*s), at(s, queue.RetentionOver, 1, 0)}, 0, false},
		{"the next of two copies", []queue.Event{at(0, queue.Received, 1, 90*s), at(0, queue.Received, 2, 30*s)}, 20 * s, true},
		{"overdue", []queue.Event{at(0, queue.Received, 1, 5*s)}, 0, true},
		{"the last receive counts", []queue.Event{at(0, queue.Received, 1, 5*s), at(5*s, queue.VisibilityOver, 1, 0), at(6*s, queue.Received, 1, 30*s)}, 26 * s, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, any := nextDue(c.log, start.Add(10*s))
			if want := c.want + time.Millisecond; any != c.any || any && got != want {
				t.Errorf("got %s, %t; want %s, %t", got, any, want, c.any)
			}
		})
	}
}

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
		w := &world{lab: &lab{busiest: map[string]time.Duration{"new": c.busiest}}, plan: Planned{Version: "new", Races: c.races}}
		w.Spec, w.Job.LongestRun = &jobfile.Replay{Timeouts: jobfile.Timeouts{Recovery: 5 * time.Second}}, c.longest
		if got := w.recovery(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
