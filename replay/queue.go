package replay

import (
	"context"
	"errors"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/celery"
	"github.com/twiceproof/twiceproof/queue/rq"
	"github.com/twiceproof/twiceproof/queue/sidekiq"
	"github.com/twiceproof/twiceproof/queue/sqs"
)

// newQueue makes the case's own queue.
func (w *world) newQueue(ctx context.Context) (q queue.Queue, err error) {
	hint := "correct the section queue of the replay file"
	switch w.Job.Queue {
	case job.Sidekiq:
		q, err = sidekiq.Start(ctx, w.Job.Message)
	case job.RQ:
		q, err = rq.Start(ctx, w.Job.Message)
	case job.Celery:
		q, err = w.celery.Start(ctx, celery.Settings{Broker: celery.Broker(w.Spec.Queue.Broker), Task: w.Job.Message, Visibility: w.Spec.Queue.Visibility})
	default:
		q, err = sqs.Start(sqs.Settings{Visibility: w.Spec.Queue.Visibility, MaxReceiveCount: w.Spec.Queue.MaxReceiveCount})
	}
	if err != nil {
		return nil, &hinted.Error{What: err.Error(), Hint: hintOf(err, hint)}
	}
	w.keepVersions(q)
	return q, nil
}

// keepVersions asks the queue's server once, and no slot waits for its answer.
func (l *lab) keepVersions(q queue.Queue) {
	l.mu.Lock()
	known := l.versions != nil
	l.mu.Unlock()
	if known {
		return
	}
	versions := q.Versions()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.versions = versions
}

// hintOf is the error's own, such as how to install a server, or else the other one.
func hintOf(err error, other string) string {
	var own interface{ Hint() string }
	if errors.As(err, &own) {
		return own.Hint()
	}
	return other
}
