package twiceproof

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
)

type withState string

func (withState) Error() string      { return "refused" }
func (s withState) SQLState() string { return string(s) }

type withCode int

func (withCode) Error() string { return "refused" }
func (c withCode) Code() int   { return int(c) }

// What failed by the body's fault is told from a database that is going, or gone.
func TestAnswered(t *testing.T) {
	number := func(n uint16) error { return &mysql.MySQLError{Number: n} }
	for _, c := range []struct {
		cause error
		want  bool
	}{
		{withState("25P02"), true}, {withState("23505"), true}, {withState("40001"), true}, {withState("08006"), false}, {withState("57P01"), false},
		{withCode(19), true}, {withCode(5), true},
		{number(1305), true}, {number(1062), true}, {number(1213), true}, {number(1927), false}, {number(1053), false},
		{fmt.Errorf("commit: %w", errors.Join(ErrNotCommitted, number(1305))), true},
		{errors.New("connection reset by peer"), false}, {sql.ErrConnDone, false}, {mysql.ErrInvalidConn, false},
	} {
		if got := answered(c.cause); got != c.want {
			t.Errorf("%v: %t", c.cause, got)
		}
	}
}
