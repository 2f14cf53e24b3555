package admin

import (
	"errors"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/dialect"
)

type withCode int

func (withCode) Error() string { return "refused" }
func (c withCode) Code() int   { return int(c) }

// Only an answer that will not change is a refusal, and only another transaction a lock.
func TestRefusal(t *testing.T) {
	pg := func(code string) error { return &pgconn.PgError{Code: code} }
	my := func(number uint16) error { return &driver.MySQLError{Number: number} }
	for _, c := range []struct {
		err                    error
		refused, right, locked bool
	}{
		{pg("42501"), true, true, false}, {pg("25006"), true, false, false}, {pg("42703"), true, false, false},
		{pg("55P03"), false, false, true}, {pg("40001"), false, false, true}, {pg("40P01"), false, false, true},
		{pg("08006"), false, false, false}, {pg("57014"), false, false, false}, {pg("57P01"), false, false, false}, {pg("53300"), false, false, false},
		{my(1142), true, true, false}, {my(1143), true, true, false}, {my(1290), true, false, false},
		{my(1205), false, false, true}, {my(1213), false, false, true}, {my(1053), false, false, false}, {my(1927), false, false, false},
		{withCode(8), true, false, false}, {withCode(13), true, false, false}, {withCode(5), false, false, true}, {withCode(517), false, false, true},
		{errCut, false, false, false}, {errors.Join(my(1142), nil), true, true, false},
	} {
		var refused *RefusedError
		if got := errors.As(refusal(c.err), &refused); got != c.refused || got && refused.Right != c.right || dialect.Busy(c.err) != c.locked {
			t.Errorf("%#v: refused %t, %+v, locked %t", c.err, got, refused, dialect.Busy(c.err))
		}
	}
}
