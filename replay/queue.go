package replay

import (
	"context"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/sqs"
)

// newQueue makes the case's own queue.
func (w *world) newQueue(_ context.Context) (queue.Queue, error) {
	q, err := sqs.Start(sqs.Settings{Visibility: w.Spec.Queue.Visibility, MaxReceiveCount: w.Spec.Queue.MaxReceiveCount})
	if err != nil {
		return nil, &Problem{What: err.Error(), Hint: "correct the section queue of the replay file"}
	}
	w.versions = q.Versions()
	return q, nil
}
