package admin

import (
	"errors"
	"strings"

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

// locked tells whether somebody else held on to a row.
func locked(err error) bool {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		return pg.SQLState() == "55P03" || strings.HasPrefix(pg.SQLState(), "40")
	}
	if number, ok := dialect.MySQLNumber(err); ok {
		switch number {
		case 1020, 1205, 1213, 3572:
			return true
		}
		return false
	}
	var lite interface{ Code() int }
	return errors.As(err, &lite) && (lite.Code()&0xff == 5 || lite.Code()&0xff == 6)
}

// answerOf: answered is false where the reply may have been lost; passes is what may be
// answered otherwise later, such as a server that stops or is full of connections. MySQL's
// 1044, 1142, 1143, 1227 and 1370 are rights that are lacking; the long list is that of
// connections and servers that end.
func answerOf(err error) (answered, passes, right bool) {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		state := pg.SQLState()
		for _, class := range []string{"08", "53", "57", "58", "XX"} {
			passes = passes || strings.HasPrefix(state, class)
		}
		return len(state) == 5, passes || locked(err), state == "42501"
	}
	if number, ok := dialect.MySQLNumber(err); ok {
		switch number {
		case 1044, 1142, 1143, 1227, 1370:
			return true, false, true
		case 1040, 1047, 1053, 1077, 1158, 1159, 1160, 1161, 1203, 1317, 1927, 1969, 3024, 3169, 4031:
			return true, true, false
		}
		return true, locked(err), false
	}
	var lite interface{ Code() int }
	return errors.As(err, &lite), locked(err), false
}
