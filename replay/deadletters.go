package replay

import (
	"fmt"
	"time"

	labsqs "github.com/twiceproof/twiceproof/lab/sqs"
)

const deadQueueName = "replay-dead"

// makeQueue makes the case's queue, and the one for dead letters where the queue
// has one received so many times only.
func (w *world) makeQueue() (err error) {
	attributes := map[string]string{"VisibilityTimeout": fmt.Sprint(int(w.Spec.Queue.Visibility / time.Second))}
	if most := w.Spec.Queue.MaxReceiveCount; most > 0 {
		if _, err := w.queue.CreateQueue(deadQueueName, nil); err != nil {
			return err
		}
		attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:%s","maxReceiveCount":%d}`, deadQueueName, most)
	}
	if w.queueURL, err = w.queue.CreateQueue(queueName, attributes); err != nil {
		return &Problem{What: err.Error(), Hint: "correct the section queue of the replay file"}
	}
	return nil
}

// deadLetters are kept for a person.
func (w *world) deadLetters() int { return w.queue.Counts(deadQueueName).Visible }

// deadLettered counts the messages that became dead letters, for people: nobody
// delivers them any more.
func deadLettered(events []Event) []string {
	n := 0
	for _, e := range events {
		if e.Event == EventQueue && e.What == string(labsqs.DeadLettered) {
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
