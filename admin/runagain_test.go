package admin

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// What is put back, and what is not.
func TestRunAgainMessage(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		path := []job.Path{job.MustParsePath("body.order")}
		lookup := &job.Job{Type: "charge", Operation: job.Operation{Key: path}, Effect: job.Effect{Kind: job.Outside}, Stale: job.Stale{Policy: job.Lookup}}
		hold := &job.Job{Type: "charge", Operation: job.Operation{Key: path}, Effect: job.Effect{Kind: job.Outside}, Stale: job.Stale{Policy: job.Hold}}
		fields := func(message []byte) (job.Fields, error) {
			if len(message) == 0 {
				return nil, errors.New("empty")
			}
			return job.Fields{"body": map[string]any{"order": string(message)}}, nil
		}
		refused := errors.New("queue is away")
		type wants struct {
			putBack, noMessage bool
			acts               string
			err                error
		}
		for name, c := range map[string]struct {
			row    values
			change func(*Resolution)
			want   wants
		}{
			"own message":           {nil, func(*Resolution) {}, wants{putBack: true, acts: "0"}},
			"no queue":              {nil, func(d *Resolution) { d.PutBack = nil }, wants{acts: "0"}},
			"not compared":          {nil, func(d *Resolution) { d.Job = nil }, wants{putBack: true, acts: "0"}},
			"other message":         {values{"message": fmt.Sprintf(r.d.text, "x")}, func(*Resolution) {}, wants{noMessage: true, acts: "0"}},
			"unreadable":            {values{"message": "''"}, func(*Resolution) {}, wants{noMessage: true, acts: "0"}},
			"none":                  {values{"message": "NULL"}, func(*Resolution) {}, wants{noMessage: true, acts: "0"}},
			"known to be other":     {values{"hold_reason": "'other_message'"}, func(d *Resolution) { d.Job = nil }, wants{noMessage: true, acts: "0"}},
			"lookup now":            {nil, func(d *Resolution) { d.Job = lookup }, wants{putBack: true, acts: "2"}},
			"lookup then":           {values{"policy": "'lookup'"}, func(d *Resolution) { d.Job = nil }, wants{putBack: true, acts: "2"}},
			"lookup then, hold now": {values{"policy": "'lookup'"}, func(*Resolution) {}, wants{putBack: true, acts: "0"}},
			"queue refuses":         {nil, func(d *Resolution) { d.PutBack = func(context.Context, []byte) error { return refused } }, wants{acts: "0", err: refused}},
		} {
			t.Run(name, func(t *testing.T) {
				r.insert(r.claimed(name, r.held("max_acts", time.Hour), values{"acts": "2", "message": fmt.Sprintf(r.d.text, name)}, c.row))
				var pushed []string
				d := r.decision(name, RunAgain)
				d.Job, d.Fields = hold, fields
				d.PutBack = func(_ context.Context, message []byte) error {
					// Marked first, pushed second.
					r.want(name, map[string]string{"state": "claimed", "requeued_at": "set"})
					pushed = append(pushed, string(message))
					return nil
				}
				c.change(&d)
				res, err := r.Resolve(t.Context(), d)
				if err != nil || !res.Applied || res.PutBack != c.want.putBack || res.NoMessage != c.want.noMessage || !errors.Is(res.PutBackErr, c.want.err) ||
					(len(pushed) == 1) != c.want.putBack {
					t.Errorf("%+v, %v, pushed %q", res, err, pushed)
				}
				r.want(name, map[string]string{"acts": c.want.acts, "state": "claimed"})
				if marked := r.one(name, "requeued_at") != "null"; marked != (c.want.putBack || c.want.err != nil) {
					t.Errorf("marked %v", marked)
				}
			})
		}
	})
}
