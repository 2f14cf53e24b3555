package replay

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
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
		w.history.add(judge.Event{Event: judge.EventUnasked, Detail: "the old code did not finish the operation"})
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
		return &hinted.Error{What: fmt.Sprintf("backfill file %s cannot be read", w.Spec.Backfill), Hint: "name it in backfill as seen from the replay file's folder"}
	}
	script, err := backfillFor(string(text), op.key, w.Spec.Database.Kind)
	if err != nil {
		return err
	}
	if err := w.db.Apply(ctx, script); err != nil {
		return setUp(fmt.Errorf("the backfill cannot be applied: %w", err), "correct the file that backfill names")
	}
	return nil
}

var placeholder = regexp.MustCompile(`\{\{ *[a-z]+(_[a-z]+)* *\}\}`)

// backfillFor puts the key in its place. Another name in braces is no text that anybody
// means: it would be marked as done by that name.
func backfillFor(text, key string, kind jobfile.DatabaseKind) (string, error) {
	for _, name := range placeholder.FindAllString(text, -1) {
		if name != "{{key}}" {
			return "", &hinted.Error{What: "the backfill has " + name + " in it, for which a replay puts nothing", Hint: "{{key}} is the operation's key; the job's type is written as it is"}
		}
	}
	quoted := strings.NewReplacer("'", "''")
	if kind == jobfile.MySQL {
		quoted = strings.NewReplacer("'", "''", `\`, `\\`)
	}
	return strings.ReplaceAll(text, "{{key}}", quoted.Replace(key)), nil
}
