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
	return append(facts, told(count(events, queue.Lost), "the queue lost the message with its worker, so the replay put the same one on again",
		"the queue lost messages with their workers, %d times, so the replay put the same ones on again")...)
}

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
