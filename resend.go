package twiceproof

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
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
	if passes, coded := dialect.Passes(err); coded {
		return passes
	}
	return !slices.ContainsFunc(unfit, func(why error) bool { return errors.Is(err, why) })
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
	passes, coded := dialect.Passes(err)
	return coded && (!passes || dialect.Busy(err))
}
