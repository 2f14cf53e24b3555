package replay

import (
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/outside"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// logOutside takes over the calls that the outside service did not know. What they
// were meant to do did not happen, so nothing can be said of the job.
func (w *world) logOutside() {
	if w.book == nil {
		return
	}
	calls := w.book.Calls()
	unknown := w.book.Unexpected()
	for _, u := range unknown[w.strange:] {
		w.notUnderstood(u.At, calls, wire.Clip(u.Method+" "+u.Path)+" is neither outside.act nor outside.look_up of the replay file")
	}
	w.strange = len(unknown)
	asked := w.book.LookUps()
	for _, l := range asked[w.asked:] {
		if inVain(l, calls) {
			w.notUnderstood(l.At, calls, "a look-up found nothing, and no call before it carried a reference: check outside.reference and outside.look_up of the replay file")
		}
	}
	w.asked = len(asked)
	for _, c := range calls[w.nameless:] {
		if !w.values[c.Operation] && w.plan.Case != "keyless" { // there it is the case itself
			w.history.add(judge.Event{Event: judge.EventUnproxied, Detail: "an effect names none of the operations that were sent: check where the replay file looks for it (outside.operation), and that it is {{key}} alone"})
		}
	}
	w.nameless = len(calls)
}

// inVain: nothing could be found, since nothing that was made can be looked up.
func inVain(l outside.LookUp, calls []outside.Call) bool {
	before := slices.DeleteFunc(slices.Clone(calls), func(c outside.Call) bool { return c.At.After(l.At) })
	return l.Effect == "" && l.Fault == "" && len(before) > 0 &&
		!slices.ContainsFunc(before, func(c outside.Call) bool { return c.Reference != "" })
}

func (w *world) notUnderstood(at time.Time, calls []outside.Call, detail string) {
	e := judge.Event{Event: judge.EventUnproxied, What: judge.NoEffect, Detail: detail}
	if slices.ContainsFunc(calls, func(c outside.Call) bool { return !c.Again && c.At.After(at) }) {
		e.What = judge.ThenEffect
	}
	w.history.add(e)
}
