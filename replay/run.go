package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/process"
)

// runCase runs one case and hands over what it leaves. Where more are to come, the next
// one's database is made meanwhile.
func (s *slot) runCase(ctx context.Context, p judge.Planned, more bool, out *Outcome) error {
	defer s.take(p)()
	s.progress(Progress{Planned: &p})
	kept := Kept{Planned: p}
	if p.NotApplicable == "" {
		w, err := s.play(ctx, p, more)
		if w != nil { // judged is what is stored, so that it can be judged again
			kept.Events, kept.Log = s.secrets.hideIn(w.history.all()), s.secrets.hide(w.logs())
		}
		if err != nil {
			return errors.Join(err, s.keep(kept, out))
		}
	}
	result := judge.NewResult(p, kept.Events)
	result.Rerun = s.Rerun(p.Version, onlyName(s.Job.Queue, p))
	kept.Result = &result
	return s.keep(kept, out)
}

// play runs a case's script in a world of its own, which has ended when it returns.
// A world whose script did not come to its end is handed back beside the error.
func (s *slot) play(ctx context.Context, p judge.Planned, more bool) (*world, error) {
	w, err := s.newWorld(ctx, p)
	if err != nil {
		return nil, err
	}
	if more {
		s.makeAhead(ctx)
	}
	w.before = process.Children() // with the case's own servers
	if err = theCase(p).script(ctx, w); err == nil {
		err = w.watch(ctx)
	}
	if w.unread(err) {
		err = nil
	}
	w.close()
	w.endLeft()
	if why := w.unsecured(); why != nil {
		err = why
	}
	if err == nil && ctx.Err() == nil {
		return w, nil
	}
	w.history.add(judge.Event{Event: judge.EventUnfinished})
	if ctx.Err() != nil {
		return w, context.Cause(ctx)
	}
	return w, fmt.Errorf("%s: %w", p.Name(), err)
}

// keep takes in what a case leaves, and tells it.
func (l *lab) keep(k Kept, out *Outcome) error {
	l.telling.Lock()
	defer l.telling.Unlock()
	if k.Result != nil {
		out.Results = append(out.Results, *k.Result)
		if k.Events != nil {
			out.Histories[k.Planned.Name()] = k.Events
		}
		if l.Progress != nil {
			l.Progress(Progress{Result: k.Result})
		}
	}
	if l.Keep == nil {
		return nil
	}
	return l.Keep(k)
}

func (l *lab) progress(p Progress) {
	l.telling.Lock()
	defer l.telling.Unlock()
	if l.Progress != nil {
		l.Progress(p)
	}
}
