package guardtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/twiceproof/twiceproof"
)

// sweep runs one over the scenario's job.
func (w *world) sweep(ctx context.Context, l line) error {
	s, err := twiceproof.NewSweeper(w.db, w.Dialect, w.job, "")
	if err != nil {
		return err
	}
	var last twiceproof.Swept
	report, err := s.Sweep(ctx, twiceproof.SweepOptions{
		Apply: contains(l.words, "apply"), Fields: fieldsOf, Each: func(one twiceproof.Swept) { last = one },
		PutBack: func(_ context.Context, message []byte) error {
			if contains(l.words, "queue_down") {
				return errors.New("the queue does not answer")
			}
			w.queue = append(w.queue, message)
			return nil
		},
	})
	return errors.Join(w.struck(), compareSweep(l, report, last, err))
}

func compareSweep(l line, report twiceproof.SweepReport, last twiceproof.Swept, err error) error {
	if (err != nil) != (l.outcome == "error") {
		return errors.Join(fmt.Errorf("%+v", report), err)
	}
	for name, got := range map[string]int{
		"held": report.Held, "assumed": report.Assumed, "put_back": report.PutBack,
		"waiting": report.Waiting, "moved": report.Moved, "failed": report.Failed,
	} {
		want, ok := l.want[name]
		if !ok {
			want = "0"
		}
		if strconv.Itoa(got) != want {
			return fmt.Errorf("%s=%d, want %s (%+v)", name, got, want, report)
		}
	}
	if reason := l.want["reason"]; reason != "" && reason != last.Reason {
		return fmt.Errorf("reason=%s, want %s", last.Reason, reason)
	}
	return nil
}
