package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/queue"
	. "github.com/twiceproof/twiceproof/replay/judge"
)

func TestDeadLettersAreToldWithTheirReason(t *testing.T) {
	given := func(why string) Event {
		return Event{Event: EventQueue, What: string(queue.DeadLettered), Detail: why}
	}
	for _, c := range []struct {
		events []Event
		facts  []string
	}{
		{[]Event{given("")}, []string{"the queue gave the message up: it was received max_receive_count times"}},
		{[]Event{given(""), given("")}, []string{"the queue gave 2 messages up: each was received max_receive_count times"}},
		{[]Event{given("no retry is left"), given("it was interrupted too often"), given("no retry is left")},
			[]string{"the queue gave 2 messages up: no retry is left", "the queue gave the message up: it was interrupted too often"}},
		{[]Event{{Event: EventQueue, What: string(queue.Deleted)}}, nil},
		{[]Event{{Event: EventQueue, What: string(queue.Abandoned)}, {Event: EventQueue, What: string(queue.Unscheduled)}}, []string{
			"the queue gave up a job whose worker or work horse was killed, so it is among the failed ones, and the replay put the same one on again; retry=Retry(…) keeps it",
			"a job waited for its time, and no worker has a scheduler, so the replay put it on; --with-scheduler does so",
		}},
	} {
		if got := QueueFacts(c.events); !slices.Equal(got, c.facts) {
			t.Errorf("%q, want %q", got, c.facts)
		}
	}
}

// Nothing but the sentence is told, however often it happened, and whatever the queue said.
func TestQueueFactsOfManyAreText(t *testing.T) {
	for _, kind := range []queue.Kind{queue.Lost, queue.LostEarly, queue.LostWithChild, queue.Abandoned, queue.Unscheduled, queue.EndUnseen, queue.DeadLettered} {
		event := Event{Event: EventQueue, What: string(kind), Detail: "at 100%d"}
		for _, fact := range QueueFacts([]Event{event, event}) {
			if strings.Contains(fact, "%!") || kind == queue.Lost && !strings.Contains(fact, ", 2 times,") ||
				kind == queue.DeadLettered && fact != "the queue gave 2 messages up: at 100%d" {
				t.Errorf("%s: %s", kind, fact)
			}
		}
	}
}
