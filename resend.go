package twiceproof

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// tryPatience is how long one sending waits for its answer. The connection may be
// dead without a word, as after a long act; the next one goes over another.
const tryPatience = 5 * time.Second

// resend sends a verb until it is answered. That is right for every verb here:
// sent again with the same token it changes nothing that the first time did not.
// It ends with an answer, a refusal by the database that will not change, or
// when the time to answer is over.
func resend(ctx context.Context, until time.Time, verb func(context.Context) error) error {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		try, cancel := context.WithTimeout(ctx, tryPatience)
		err := verb(try)
		unanswered := try.Err() != nil // whatever the driver calls it then
		cancel()
		if err == nil || ctx.Err() != nil || !unanswered && !mayChange(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// mayChange tells whether the same statement may be answered when it is sent
// again: the database was busy, or its reply was lost. An error without a code
// comes from the connection, so its reply counts as lost.
func mayChange(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		return postgresMayChange(pg.SQLState())
	}
	var lite interface{ Code() int }
	if errors.As(err, &lite) {
		return sqliteMayChange(lite.Code())
	}
	if number, ok := mysqlNumber(err); ok {
		return mysqlMayChange(number)
	}
	return !slices.ContainsFunc(unfit, func(why error) bool { return errors.Is(err, why) })
}

// 40001, 40P01, 55P03: another transaction was in the way, and so perhaps for
// 57014, the server's own time limit. Class 08: the connection. 53300: too many
// connections. 57P01-57P03: the server stops or starts. 57P05: the connection was
// idle for too long.
func postgresMayChange(state string) bool {
	switch state {
	case "40001", "40P01", "55P03", "53300", "57014", "57P01", "57P02", "57P03", "57P05":
		return true
	}
	return len(state) == 5 && state[:2] == "08"
}

// The low byte is the primary code: 5 SQLITE_BUSY, 6 SQLITE_LOCKED, with their
// extended forms such as 517 SQLITE_BUSY_SNAPSHOT.
func sqliteMayChange(code int) bool {
	primary := code & 0xff
	return primary == 5 || primary == 6
}

// busy tells whether a claim failed only because another transaction was in the
// way. It is the first statement of its own transaction, so nothing is lost.
func busy(err error) bool {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		switch pg.SQLState() {
		case "40001", "40P01", "55P03":
			return true
		}
		return false
	}
	var lite interface{ Code() int }
	if errors.As(err, &lite) {
		return sqliteMayChange(lite.Code())
	}
	number, ok := mysqlNumber(err)
	return ok && mysqlBusy(number)
}

// answered tells whether the database answered with a code of its own, and not only
// that it, or the connection, is going.
func answered(err error) bool {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		return !strings.HasPrefix(pg.SQLState(), "08") && !strings.HasPrefix(pg.SQLState(), "57P")
	}
	var lite interface{ Code() int }
	if errors.As(err, &lite) {
		return true
	}
	number, ok := mysqlNumber(err)
	return ok && (mysqlBusy(number) || !mysqlMayChange(number))
}
