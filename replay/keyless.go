package replay

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// keyless gives messages that name no operation. Nobody can tell whether the second
// one is the first again, so neither is acted upon and neither is thrown away.
func keyless(ctx context.Context, w *world) error {
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	m, _ := withoutKey(w.Job.Queue, w.Spec.Message, w.Job.Operation)
	for range judge.KeylessMessages {
		w.history.add(judge.Event{Event: judge.EventSent, Detail: "without an operation key"})
		if _, err := w.queue.Send(m); err != nil {
			return err
		}
	}
	for range 3 { // deliveries of each
		if rested, err := w.idle(ctx); err != nil || !rested {
			return err
		}
		if err := w.pass(ctx, w.past()); err != nil {
			return err
		}
	}
	w.awaitDeadLetters(ctx)
	w.lookKeyless()
	return nil
}

// awaitDeadLetters: a worker may say a moment after it is done with a message that it has
// failed.
func (w *world) awaitDeadLetters(ctx context.Context) {
	const moment = 2 * time.Second
	limited, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	_ = w.queue.Wait(limited, func(s queue.Snapshot) bool { return s.Left()+s.Dead >= judge.KeylessMessages }) // else they are lost
}

func (w *world) lookKeyless() {
	s := judge.Seen{When: judge.SeenKeyless}
	for _, c := range w.book.Calls() {
		if !c.Again {
			s.Effects++
		}
	}
	q := w.queue.Look()
	s.Queued = q.Left() + q.Dead
	w.logQueue()
	w.logOutside()
	w.history.add(judge.Event{Event: judge.EventSeen, Seen: &s})
}

// withoutKey is the message with null, or no attribute, where the operation's own
// value stands; false when that still has an operation key, or is no message.
func withoutKey(on job.Queue, m jobfile.Message, o job.Operation) (queue.Message, bool) {
	const mark = "{{key}}"
	body := strings.NewReplacer(`"`+mark+`"`, "null", mark, "null").Replace(m.Body)
	attributes := maps.Clone(m.Attributes)
	maps.DeleteFunc(attributes, func(_, value string) bool { return strings.Contains(value, mark) })
	fields, err := job.FieldsOf(on, []byte(body), attributes)
	if err != nil {
		return queue.Message{}, false
	}
	_, err = o.KeyOf(fields)
	return queue.Message{Body: body, Attributes: attributes}, err != nil
}

func noKeyless(s setting) string {
	switch {
	case !s.guarded:
		return "code without our record may have a key of its own"
	case s.ownRow():
		return "rows are counted by their operation, and here there is none"
	case !s.keyless:
		return "the message template has no place that is the operation key and nothing else"
	case s.failsUnseen:
		return "Celery deletes a task that fails from SQS, and nothing there tells of it: its log and its result do"
	}
	return ""
}

// nothingDone is how messages without a key end.
func nothingDone(job.Job, job.Moment) []job.End { return []job.End{{}} }
