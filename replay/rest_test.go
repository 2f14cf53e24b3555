package replay

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/jobfile"
	labsqs "github.com/twiceproof/twiceproof/lab/sqs"
)

func TestNextDue(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(after time.Duration, kind labsqs.Kind, copy int, visibility time.Duration) labsqs.Event {
		return labsqs.Event{At: start.Add(after), Kind: kind, MessageID: "m", Copy: copy, Visibility: visibility}
	}
	const s = time.Second
	for _, c := range []struct {
		name string
		log  []labsqs.Event
		want time.Duration // and a millisecond
		any  bool
	}{
		{"nothing", nil, 0, false},
		{"sent only", []labsqs.Event{at(0, labsqs.Sent, 1, 0)}, 0, false},
		{"in hand", []labsqs.Event{at(0, labsqs.Received, 1, 30*s)}, 20 * s, true},
		{"put back", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(5*s, labsqs.VisibilityChanged, 1, 60*s)}, 55 * s, true},
		{"deleted", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.Deleted, 1, 0)}, 0, false},
		{"given up", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.DeadLettered, 1, 0)}, 0, false},
		{"visible again", []labsqs.Event{at(0, labsqs.Received, 1, 5*s), at(5*s, labsqs.VisibilityOver, 1, 0)}, 0, false},
		{"purged", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.Purged, 1, 0)}, 0, false},
		{"too old", []labsqs.Event{at(0, labsqs.Received, 1, 30*s), at(s, labsqs.RetentionOver, 1, 0)}, 0, false},
		{"the next of two copies", []labsqs.Event{at(0, labsqs.Received, 1, 90*s), at(0, labsqs.Received, 2, 30*s)}, 20 * s, true},
		{"overdue", []labsqs.Event{at(0, labsqs.Received, 1, 5*s)}, 0, true},
		{"the last receive counts", []labsqs.Event{at(0, labsqs.Received, 1, 5*s), at(5*s, labsqs.VisibilityOver, 1, 0), at(6*s, labsqs.Received, 1, 30*s)}, 26 * s, true},
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
	queue, err := labsqs.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	w := &world{lab: &lab{}, queue: queue}
	w.Spec = &jobfile.Replay{Queue: jobfile.ReplayQueue{Visibility: time.Minute}}
	if err := w.makeQueue(); err != nil {
		t.Fatal(err)
	}
	id, err := queue.Send(queueName, labsqs.Message{Body: "{}"})
	if err != nil || id == "" {
		t.Fatal(err)
	}
	t.Setenv("QUEUE_URL", w.queueURL)
	t.Setenv("AWS_ENDPOINT_URL_SQS", queue.URL())
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
