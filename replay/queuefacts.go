package replay

import (
	"fmt"

	"github.com/twiceproof/twiceproof/queue"
)

// queueFacts is what the queue did by itself that people should know of, whatever the
// verdict about the code is.
func queueFacts(events []Event) []string {
	facts := told(count(events, queue.DeadLettered), "the queue gave the message up: it was received max_receive_count times",
		"the queue gave %d messages up: each was received max_receive_count times")
	facts = append(facts, told(count(events, queue.Lost), "the queue lost the message with its worker, so the replay put the same one on again",
		"the queue lost messages with their workers, %d times, so the replay put the same ones on again")...)
	facts = append(facts, told(count(events, queue.LostEarly), lostEarly, lostEarly)...)
	facts = append(facts, told(count(events, queue.LostWithChild), lostWithChild, lostWithChild)...)
	return append(facts, told(count(events, queue.EndUnseen), endUnseen, endUnseen)...)
}

const (
	lostEarly     = "the queue lost a task with its worker, which had acknowledged it before it worked on it, so the replay put the same one on again; acks_late keeps it"
	lostWithChild = "the worker acknowledged a task whose process was killed, so the queue lost it, and the replay put the same one on again; " +
		"acks_late with reject_on_worker_lost (task_reject_on_worker_lost) keeps it"
	endUnseen = "the worker acknowledges before it works and sends no task events, so its end cannot be seen: start it with -E"
)

func count(events []Event, kind queue.Kind) (n int) {
	for _, e := range events {
		if e.Event == EventQueue && e.What == string(kind) {
			n++
		}
	}
	return n
}

func told(n int, one, many string) []string {
	switch n {
	case 0:
		return nil
	case 1:
		return []string{one}
	}
	return []string{fmt.Sprintf(many, n)}
}
