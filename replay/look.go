package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/replay/judge"
)

const countHint = "correct effects.count of the replay file: a query that counts the rows of the operation whose value it takes as $1"

// effects counts what the operation has done, outside the worker.
func (w *world) effects(ctx context.Context, op operation) (int, error) {
	if !w.ownRow() {
		return w.book.Count(op.value), nil
	}
	n, err := w.db.Count(ctx, w.Spec.Effects.Count, op.value)
	if err != nil {
		return 0, setUp(err, countHint)
	}
	return n, w.countsNoOther(ctx)
}

// countsNoOther: of an operation that nobody has sent there is no effect.
// Counter-example: a query without a condition, by which each operation of a case has
// the effects of all.
func (w *world) countsNoOther(ctx context.Context) error {
	n, err := w.db.Count(ctx, w.Spec.Effects.Count, value(w.Spec.Message, 0))
	switch {
	case err != nil:
		return setUp(err, countHint)
	case n != 0:
		return &hinted.Error{
			What: fmt.Sprintf("effects.count counts %d effects of an operation that was never sent", n),
			Hint: "let it count the rows of one operation alone, such as SELECT count(*) FROM charges WHERE order_id = $1; and leave the table empty in database.schema",
		}
	}
	return nil
}

// look writes what can be seen of an operation from outside the worker.
func (w *world) look(ctx context.Context, when string, op operation) error {
	effects, err := w.effects(ctx, op)
	if err != nil {
		return err
	}
	s := judge.Seen{When: when, Effects: effects}
	if when == judge.SeenEnd {
		w.ends = append(w.ends, seenEnd{op, effects})
	}
	if w.book != nil {
		s.LookUps = len(w.book.LookUps())
	}
	s.Queued = w.queue.Look().Left()
	if w.plan.Guarded {
		r, err := w.db.Read(ctx, w.Job.Type, op.key)
		if err != nil {
			return w.noRecord(err)
		}
		s.Records, s.State, s.Token, s.Acts, s.Late = r.Rows, r.State, r.Token, r.Acts, r.Late
		s.Completion, s.HoldReason, s.GivenUp, s.Policy = r.Completion, r.HoldReason, r.GivenUp, r.Policy
		s.ClaimAgeMS, s.LeaseMS = r.ClaimAge.Milliseconds(), r.Lease.Milliseconds()
	}
	w.logQueue()
	w.logOutside()
	w.history.add(judge.Event{Event: judge.EventSeen, Operation: op.key, Seen: &s})
	return nil
}

// claimAge is how old the operation's claim is; code without a guard has none.
func (w *world) claimAge(ctx context.Context, op operation) (time.Duration, error) {
	if !w.plan.Guarded {
		return 0, nil
	}
	r, err := w.db.Read(ctx, w.Job.Type, op.key)
	if err != nil {
		return 0, w.noRecord(err)
	}
	return r.ClaimAge, nil
}

func (w *world) noRecord(err error) error {
	return setUp(err, "guarded code keeps its records in the table "+w.Table+": is it made by a file of database.schema?")
}

// logQueue takes over what the queue has logged since the last time.
func (w *world) logQueue() {
	log := w.queue.Look().Events
	real, clock := time.Since(w.history.start), w.queue.Now()
	for _, e := range log[w.logged:] {
		at := real - clock.Sub(e.At) // no time has passed since but by itself
		w.history.add(judge.Event{
			MS: max(1, w.passedMS, at.Milliseconds()), Event: judge.EventQueue, What: string(e.Kind), Message: e.Message, Copy: e.Copy,
			Worker: e.Worker, ForMS: e.For.Milliseconds(), Detail: e.Why,
		})
	}
	w.logged = len(log)
}
