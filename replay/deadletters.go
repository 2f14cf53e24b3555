package replay

import (
	"fmt"

	"github.com/twiceproof/twiceproof/queue"
)

// deadLettered counts the messages that became dead letters, for people: nobody
// delivers them any more.
func deadLettered(events []Event) []string {
	n := 0
	for _, e := range events {
		if e.Event == EventQueue && e.What == string(queue.DeadLettered) {
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return []string{"the queue gave the message up: it was received max_receive_count times"}
	}
	return []string{fmt.Sprintf("the queue gave %d messages up: each was received max_receive_count times", n)}
}
