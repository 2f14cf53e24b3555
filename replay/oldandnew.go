package replay

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/twiceproof/twiceproof/jobfile"
)

// oldAndNew: what the old code finished without a record is delivered to the new.
func oldAndNew(ctx context.Context, w *world) error {
	op, err := w.newOperation()
	if err != nil {
		return err
	}
	if finished, err := w.finishOld(ctx, &op); err != nil || !finished {
		return err
	}
	if err := w.backfill(ctx, op); err != nil {
		return err
	}
	if _, err := w.startWorker(ctx); err != nil {
		return err
	}
	if err := w.again(op); err != nil {
		return err
	}
	return w.end(ctx, op)
}

// finishOld lets the old code do the operation, and ends it.
func (w *world) finishOld(ctx context.Context, op *operation) (finished bool, err error) {
	old, err := w.startVersion(ctx, w.unguardedVersion(), nil)
	if err != nil {
		return false, err
	}
	if err := w.send(op); err != nil {
		return false, err
	}
	if err := w.rest(ctx); err != nil {
		return false, err
	}
	if n, err := w.effects(ctx, *op); err != nil || n != 1 {
		w.history.add(Event{Event: EventUnasked, Detail: "the old code did not finish the operation"})
		return false, err
	}
	w.kill(old)
	old.gate.Shut()
	return true, w.quiet(ctx, old)
}

func (w *world) unguardedVersion() string {
	for _, v := range w.Spec.Versions {
		if !v.Guarded {
			return v.Name
		}
	}
	return ""
}

// backfill marks what the old code has finished, as the application would before
// the deploy.
func (w *world) backfill(ctx context.Context, op operation) error {
	text, err := os.ReadFile(w.Spec.Resolve(w.Spec.Backfill))
	if err != nil {
		return &Problem{What: fmt.Sprintf("backfill file %s cannot be read", w.Spec.Backfill), Hint: "name it in backfill as seen from the replay file's folder"}
	}
	quoted := strings.NewReplacer("'", "''")
	if w.Spec.Database.Kind == jobfile.MySQL {
		quoted = strings.NewReplacer("'", "''", `\`, `\\`)
	}
	script := strings.NewReplacer("{{key}}", quoted.Replace(op.key), "{{job_type}}", quoted.Replace(w.Job.Type)).Replace(string(text))
	if err := w.db.Apply(ctx, script); err != nil {
		return &Problem{What: "the backfill cannot be applied: " + err.Error(), Hint: "correct the file that backfill names"}
	}
	return nil
}
