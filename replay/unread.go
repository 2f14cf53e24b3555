package replay

import (
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// setUp is an error of the database with what to do about it, unless the same may be answered
// another time: then it is of this case alone, and not of the user's set-up. Counter-example:
// a worker that was killed in the middle of a long commit of SQLite, or hangs in it.
func setUp(err error, hint string) error {
	if inTheWay(err) {
		return err
	}
	return &hinted.Error{What: err.Error(), Hint: hint}
}

func inTheWay(err error) bool {
	passes, _ := dialect.Passes(err)
	return passes
}

// unread writes that the database could not be looked at, where that is why; then there is
// more to do in the replay than to end.
func (w *world) unread(err error) bool {
	if !inTheWay(err) {
		return false
	}
	w.history.add(judge.Event{Event: judge.EventUnread, Detail: "the replay waited in vain for the database, which a worker may hold: " + err.Error()})
	return true
}
