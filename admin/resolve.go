package admin

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Resolution is a person's decision about one held operation.
type Resolution struct {
	JobType, Key string
	Do           Decision
	// HeldAt is the hold that the person saw: another one is refused. It is needed
	// with Apply.
	HeldAt time.Time
	// Why and By are kept in the record.
	Why, By string
	// Job is what the job file says now; nil when there is none. Without it the policy
	// is the record's, and a stored message is taken for the operation's own.
	Job *job.Job
	// Fields reads a stored message as its delivery would be read; nil: not compared.
	Fields func(message []byte) (job.Fields, error)
	// PutBack puts a message on the queue; nil: it is left for the next sweep.
	PutBack func(ctx context.Context, message []byte) error
	// Apply does it; without it nothing is changed.
	Apply bool
}

// Resolved is what was decided.
type Resolved struct {
	Before, After Record
	Applied       bool
	// PutBack is set when the message is on the queue, or would be put there.
	PutBack bool
	// NoMessage is set when the operation is to be run again and no message of its own is
	// stored: somebody has to send it.
	NoMessage bool
	// PutBackErr says why the message is perhaps not on the queue: the sweep puts it
	// back a lease later.
	PutBackErr error
}

// ErrUnknown is for a reply that was lost: nobody can tell whether the decision is stored.
var ErrUnknown = errors.New("it could not be told whether the decision was stored")

// Resolve writes a decision into the record, on the very hold that was seen. Two at
// once: one wins, and the other is told by a *MovedError what it is now.
func (r *Records) Resolve(ctx context.Context, d Resolution) (Resolved, error) {
	if err := d.validate(); err != nil {
		return Resolved{}, err
	}
	before, there, err := r.Record(ctx, d.JobType, d.Key)
	if err != nil {
		return Resolved{}, fmt.Errorf("read record: %w", err)
	}
	after, err := decide(before, there, d)
	res := Resolved{Before: before, After: after}
	if err != nil {
		return res, err
	}
	message, err := r.messageFor(ctx, d, &res)
	if err != nil || !d.Apply {
		return res, err
	}
	// What is begun is ended.
	return r.apply(context.WithoutCancel(ctx), d, res, message)
}

// messageFor reads what is to be put back, and tells when there is none.
func (r *Records) messageFor(ctx context.Context, d Resolution, res *Resolved) ([]byte, error) {
	if d.Do != RunAgain {
		return nil, nil
	}
	message, there, err := r.Message(ctx, res.Before)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, r.moved(ctx, d)
	}
	res.NoMessage = !mayPutBack(res.Before, d, message)
	res.PutBack = d.PutBack != nil && !res.NoMessage
	return message, nil
}

func (r *Records) apply(ctx context.Context, d Resolution, res Resolved, message []byte) (Resolved, error) {
	token := newToken()
	written, err := r.write(ctx, d, res, token)
	var refused *RefusedError
	if errors.As(err, &refused) {
		return res, fmt.Errorf("write decision: %w", err)
	}
	if err != nil {
		// The reply may have been lost: a record with our token was written by us.
		now, there, readErr := r.Record(ctx, d.JobType, d.Key)
		switch {
		case readErr != nil:
			return res, fmt.Errorf("%w: %w", ErrUnknown, err)
		case there && now.token == token:
			written = true
		case there && now.State == stateHeld && now.token == res.Before.token:
			return res, fmt.Errorf("write decision: %w", err)
		}
	}
	if !written {
		return res, r.moved(ctx, d)
	}
	if now, there, err := r.Record(ctx, d.JobType, d.Key); err == nil && there && now.token == token {
		res.After = now
	}
	res.Applied = true
	if res.PutBack {
		if res.PutBackErr = d.PutBack(ctx, message); res.PutBackErr != nil {
			res.PutBack = false
		}
	}
	return res, nil
}

func (r *Records) write(ctx context.Context, d Resolution, res Resolved, token string) (bool, error) {
	statement := r.sql.Resolve
	args := []any{d.JobType, d.Key, res.Before.token, token, res.Before.HeldAt.UnixMicro(), d.By, d.resolution()}
	if d.Do == RunAgain {
		marked := 0
		if res.PutBack {
			marked = 1
		}
		statement, args = r.sql.RunAgain, append(args, res.After.Acts, marked)
	}
	statement, args = r.bind(statement, args)
	result, err := r.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, refusal(err)
	}
	if r.dialect == mysql { // its number of rows depends on a flag of the connection
		id, err := result.LastInsertId()
		return id != 0, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// moved tells what the record is now.
func (r *Records) moved(ctx context.Context, d Resolution) error {
	now, there, err := r.Record(ctx, d.JobType, d.Key)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	return &MovedError{There: there, Now: now}
}

func newToken() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
