package replay

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// barrenRounds is how often guarded code may put a message back before there is a
// record or an effect of it. A right worker claims in the first round; one whose claim
// fails each time would go round until the patience is over, a little slower each time.
const barrenRounds = 4

// isBarren: nothing has come of the messages so far.
func (w *world) isBarren(ctx context.Context) (bool, error) {
	if !w.plan.Guarded || len(w.operations) == 0 || w.anyPaused() {
		return false, nil
	}
	for _, op := range w.operations {
		r, err := w.db.Read(ctx, w.Job.Type, op.key)
		if err != nil {
			return false, w.noRecord(err)
		}
		effects, err := w.effects(ctx, op)
		if err != nil || effects > 0 || r.Rows > 0 {
			return false, err
		}
	}
	return true, nil
}

// markBarren ends all waiting in this case when nothing has come of its messages, and
// writes the likely reason.
func (w *world) markBarren(ctx context.Context) (err error) {
	if w.barren, err = w.isBarren(ctx); err != nil || !w.barren {
		return err
	}
	w.history.add(judge.Event{Event: judge.EventUnrested, Detail: fmt.Sprintf("the message was put back %d times, and there is neither a record nor an effect", barrenRounds)})
	w.quote(w.workers[len(w.workers)-1])
	return nil
}

// quote keeps what a worker printed last that tells why, for the verdict's reason. It is
// shortened after its secrets are hidden: half of one is not recognised.
func (w *world) quote(k *worker) {
	const width = 300
	last := telling(strings.Split(strings.TrimSpace(w.secrets.hide(k.process.Output())), "\n"))
	for i, line := range last {
		if len(line) > width {
			last[i] = strings.ToValidUTF8(line[:width], "") + "…"
		}
	}
	if text := strings.Join(last, " | "); text != "" {
		w.history.add(judge.Event{Event: judge.EventPrinted, Worker: k.name, Detail: text})
	}
}

// What a line says that tells of a failure, and what one says that only may.
var (
	fails = regexp.MustCompile(`(?i)error|exception|fatal|panic|put back`)
	warns = regexp.MustCompile(`(?i)warn`)
	aside = regexp.MustCompile(`(?i)deprecat`) // it says so each time, whatever goes wrong
)

// telling is the last line that tells of a failure; where none does, the last ones.
func telling(lines []string) []string {
	const last = 2
	for _, tells := range []*regexp.Regexp{fails, warns} {
		for _, line := range slices.Backward(lines) {
			if tells.MatchString(line) && !aside.MatchString(line) {
				return []string{line}
			}
		}
	}
	return slices.Clone(lines[max(0, len(lines)-last):])
}
