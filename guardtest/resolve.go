package guardtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/twiceproof/twiceproof/admin"
)

// resolve is what a person decides about the hold as it is now. The message of an
// operation that is to be run again goes to the queue.
func (w *world) resolve(ctx context.Context, l line) error {
	records, err := admin.Open(w.plain, string(w.Dialect), "")
	if err != nil {
		return err
	}
	seen, _, err := records.Record(ctx, w.jobType, l.order())
	if err != nil {
		return err
	}
	done, err := records.Resolve(ctx, admin.Resolution{
		JobType: w.jobType, Key: l.order(), Do: admin.Decision(l.words[0]), HeldAt: seen.HeldAt,
		Why: "as the scenario says", By: l.option("by", "ann"), Job: &w.job, Fields: fieldsOf, Apply: true,
		PutBack: func(_ context.Context, message []byte) error {
			w.queue = append(w.queue, message)
			return nil
		},
	})
	if (err == nil && done.Applied) != (l.outcome == "resolved") {
		return errors.Join(fmt.Errorf("applied: %v", done.Applied), err)
	}
	w.tell("resolve", l.order(), 0)
	return nil
}
