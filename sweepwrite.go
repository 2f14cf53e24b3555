package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
)

// errReplyLost: a write was sent twice, and did nothing the second time. The first
// may have done it, or another sweep has.
var errReplyLost = errors.New("the database's reply was lost; nobody can tell whether it was this sweep")

// write makes the record's change; moved when somebody else's came first.
func (w *sweep) write(ctx context.Context, r staleRecord, d decision) (moved bool, err error) {
	var done, doubt bool
	err = resend(ctx, time.Now().Add(claimPatience), func(ctx context.Context) (err error) {
		switch d.next {
		case nextPutBack:
			done, err = w.records.requeue(ctx, r, d.extra)
		case nextAssume:
			done, err = w.records.assume(ctx, claimed{key: r.key}, r.record)
		default:
			done, err = w.records.hold(ctx, claimed{key: r.key}, r.record, d.reason)
		}
		doubt = doubt || err != nil && !dialect.Busy(err)
		return err
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("write record: %w", err)
	case !done && doubt:
		return false, errReplyLost
	}
	return !done, nil
}

const (
	// pushPatience bounds one put back, the queue client's own retries included.
	pushPatience = 10 * time.Second
	// pushRefusals in a row end a sweep: each has used up one of its operation's
	// put backs, and the queue does not take the next one either.
	pushRefusals = 5
)

// push puts a marked message on the queue. enough is set when the queue seems to
// take none.
func (w *sweep) push(ctx context.Context, message []byte) (err, enough error) {
	ctx, cancel := context.WithTimeout(ctx, pushPatience)
	defer cancel()
	if err := w.PutBack(ctx, message); err != nil {
		if w.refused++; w.refused >= pushRefusals {
			enough = fmt.Errorf("the queue did not take %d messages in a row: %w", w.refused, err)
		}
		return fmt.Errorf("put back: %w", err), enough
	}
	w.refused = 0
	return nil, nil
}

func (w *sweep) message(ctx context.Context, r staleRecord) (message []byte, there bool, err error) {
	err = resend(ctx, time.Now().Add(claimPatience), func(ctx context.Context) (err error) {
		message, there, err = w.records.message(ctx, r)
		return err
	})
	if err != nil {
		err = fmt.Errorf("read stored message: %w", err)
	}
	return message, there, err
}

// stale gives one page of records after a key; the last one may be in any state.
func (t records) stale(ctx context.Context, after string, limit int) (page []staleRecord, err error) {
	statement, args := t.bind(t.sql.Stale, []any{t.job.Type, after, limit})
	rows, err := t.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanStale(rows)
		if err != nil {
			return nil, err
		}
		page = append(page, r)
	}
	return page, rows.Err()
}

// scanStale is scanRecord between two columns more on either side.
func scanStale(row *sql.Rows) (r staleRecord, err error) {
	var requeuedMS sql.NullInt64
	r.record, err = scanRecord(scanFunc(func(dest ...any) error {
		return row.Scan(append(append([]any{&r.key}, dest...), &r.requeues, &requeuedMS)...)
	}))
	r.requeued = requeuedMS.Valid
	r.requeuedFor = time.Duration(requeuedMS.Int64) * time.Millisecond
	return r, err
}

type scanFunc func(...any) error

func (f scanFunc) Scan(dest ...any) error { return f(dest...) }

// message is the stored one, nil when there is none; false when the claim has moved.
func (t records) message(ctx context.Context, r staleRecord) (message []byte, there bool, err error) {
	statement, args := t.bind(t.sql.Message, []any{t.job.Type, r.key, r.token})
	err = t.db.QueryRowContext(ctx, statement, args...).Scan(&message)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return message, err == nil, err
}

func (t records) requeue(ctx context.Context, seen staleRecord, extra time.Duration) (bool, error) {
	return t.changed(ctx, t.sql.Requeue, seen.key, seen.token, seen.acts, seen.requeues, extra.Milliseconds())
}
