package admin

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Decision is what a person has decided about a held operation.
type Decision string

// The decisions. Done and drop both complete the record, so that no delivery acts on it.
const (
	Done     Decision = "done"      // the effect is there
	Drop     Decision = "drop"      // it is not, and shall not be
	RunAgain Decision = "run_again" // it is not, and shall be
)

// The reasons of holds that say what may follow.
const (
	reasonMode  = "mode_changed"
	reasonBody  = "body_ended_transaction"
	reasonOther = "other_message"
)

// ErrOwnRow is for an operation that cannot be run again from its record.
var ErrOwnRow = errors.New("the job's effect is a row in its own database, so no delivery takes up a record that is there")

// MovedError says that the hold is not the one that was seen.
type MovedError struct {
	There bool
	Now   Record
}

func (e *MovedError) Error() string {
	switch {
	case !e.There:
		return "there is no record of this operation"
	case e.Now.State == stateHeld:
		return "it is another hold than the one that was seen: held at " + e.Now.HeldAt.Format(HeldAtLayout) + ", " + e.Now.HoldReason
	case e.Now.Completion == "resolved":
		return fmt.Sprintf("it is no longer held: resolved by %q (%s)", e.Now.ResolvedBy, e.Now.Resolution)
	case e.Now.State == stateCompleted:
		return "it is not held: completed, " + e.Now.Completion
	}
	return "it is not held: " + e.Now.State
}

// HeldAtLayout writes the time of a hold with every digit that the databases keep.
const HeldAtLayout = "2006-01-02T15:04:05.000000Z"

// decide is what a decision makes of a record, or why it may not.
func decide(rec Record, there bool, d Resolution) (Record, error) {
	if !there || rec.State != stateHeld || !d.HeldAt.IsZero() && !rec.HeldAt.Equal(d.HeldAt) {
		return rec, &MovedError{There: there, Now: rec}
	}
	after := rec
	after.Held, after.ResolvedBy, after.Resolution = 0, d.By, d.resolution()
	switch d.Do {
	case Done, Drop:
		after.State, after.Completion, after.MessageStored, after.MessageBytes = stateCompleted, "resolved", false, 0
	case RunAgain:
		if RowOfItsOwn(rec, d.Job) {
			return rec, ErrOwnRow
		}
		after.State, after.Acts, after.Vanished, after.LookUps, after.Requeues = stateClaimed, actsLeft(rec, d.Job), 0, 0, 0
	default:
		return rec, fmt.Errorf("resolve: unknown decision %q", d.Do)
	}
	return after, nil
}

// RowOfItsOwn tells whether the operation cannot be run again from its record: where the
// effect is a row in the job's own database, the next delivery would hold it again. The
// job may be nil.
func RowOfItsOwn(rec Record, j *job.Job) bool {
	if j != nil {
		return j.Effect.Kind == job.OwnRow
	}
	return rec.HoldReason == reasonMode || rec.HoldReason == reasonBody
}

// actsLeft: under lookup the doubt stays, so that the effect is looked up first,
// whatever the person believes. Otherwise the next claimer simply acts.
func actsLeft(rec Record, j *job.Job) int {
	policy := rec.Policy
	if j != nil {
		policy = string(j.Stale.Policy)
	}
	if job.Policy(policy) == job.Lookup {
		return rec.Acts
	}
	return 0
}

// resolution is the text that is kept.
func (d Resolution) resolution() string {
	word := map[Decision]string{Done: "done", Drop: "dropped", RunAgain: "run again"}[d.Do]
	return word + ": " + strings.TrimSpace(d.Why)
}

// mayPutBack tells whether the stored message is the operation's own, as far as that
// can be known: another one on the queue would be another operation.
func mayPutBack(rec Record, d Resolution, message []byte) bool {
	if message == nil || rec.HoldReason == reasonOther && (d.Job == nil || d.Fields == nil) {
		return false
	}
	if d.Job == nil || d.Fields == nil {
		return true
	}
	fields, err := d.Fields(message)
	if err != nil {
		return false
	}
	key, err := d.Job.Operation.KeyOf(fields)
	return err == nil && key == rec.Key
}

func (d Resolution) validate() error {
	switch {
	case strings.TrimSpace(d.Why) == "":
		return errors.New("resolve: no reason is given")
	case strings.TrimSpace(d.By) == "":
		return errors.New("resolve: nobody is named who has decided")
	case d.Apply && d.HeldAt.IsZero():
		return errors.New("resolve: it is not said which hold was seen")
	case !d.HeldAt.Equal(d.HeldAt.Truncate(time.Microsecond)):
		return errors.New("resolve: the time of a hold has at most microseconds")
	}
	return nil
}
