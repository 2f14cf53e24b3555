package admin

import (
	"errors"
	"slices"

	"github.com/twiceproof/twiceproof/dialect"
)

// RefusedError is the database's own answer that it did not do it, and will not when it is
// asked again.
type RefusedError struct {
	// Right is set when the account lacks a right to the table.
	Right bool
	Cause error
}

func (e *RefusedError) Error() string { return e.Cause.Error() }
func (e *RefusedError) Unwrap() error { return e.Cause }

// refusal marks an error that is one.
func refusal(err error) error {
	var done *RefusedError
	if err == nil || errors.As(err, &done) {
		return err
	}
	if answered, passes, right := answerOf(err); answered && !passes {
		return &RefusedError{Right: right, Cause: err}
	}
	return err
}

// answerOf: answered is false where the reply may have been lost; passes is what may be
// answered otherwise later, such as a server that stops or is full of connections. Classes
// 40, 53, 57, 58 and XX of PostgreSQL may pass, too, or nobody can tell. MySQL's 1044, 1142,
// 1143, 1227 and 1370 are rights that are lacking.
func answerOf(err error) (answered, passes, right bool) {
	passes, answered = dialect.Passes(err)
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		state := pg.SQLState()
		answered = len(state) == 5
		passes = passes || answered && slices.Contains([]string{"40", "53", "57", "58", "XX"}, state[:2])
		right = state == "42501"
	} else if number, ok := dialect.MySQLNumber(err); ok {
		right = slices.Contains([]int{1044, 1142, 1143, 1227, 1370}, number)
	}
	return answered, passes, right
}
