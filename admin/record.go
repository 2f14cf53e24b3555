package admin

import (
	"context"
	"database/sql"
	"time"
)

// Record is what a person is shown of an operation's record. A time that is not set is
// the zero time; they are in UTC.
type Record struct {
	JobType, Key   string
	State          string
	Policy         string // under which it was claimed or held
	HoldReason     string
	HeldAt         time.Time
	Held           time.Duration // for how long, by the database's clock
	Stale          time.Duration // for how long its claim has been stale; negative: live
	ClaimedBy      string
	FirstClaimedAt time.Time
	Acts           int // attempts whose effect may be out
	Vanished       int
	LookUps        int
	Requeues       int
	Reference      string
	LateFinishAt   time.Time
	MessageStored  bool
	MessageBytes   int64
	Completion     string
	CompletedAt    time.Time
	ResolvedBy     string
	Resolution     string

	token string
}

const (
	stateClaimed   = "claimed"
	stateCompleted = "completed"
	stateHeld      = "held"
)

// Record reads one; false when there is none.
func (r *Records) Record(ctx context.Context, jobType, key string) (rec Record, there bool, err error) {
	read := func(rows *sql.Rows) (err error) {
		rec, err = scan(rows, jobType)
		there = err == nil
		return err
	}
	err = r.query(ctx, r.sql.Record, []any{jobType, key}, func() { there = false }, read)
	return rec, there && err == nil, err
}

// columns are those of one row.
type columns struct {
	policy, holdReason, claimedBy, reference, completion, resolvedBy, resolution sql.NullString

	heldAt, heldMS, staleMS, firstClaimedAt, lateFinishAt, messageBytes, completedAt sql.NullInt64
}

func scan(rows *sql.Rows, jobType string) (Record, error) {
	rec := Record{JobType: jobType}
	var c columns
	err := rows.Scan(&rec.Key, &rec.State, &rec.token, &c.policy, &c.holdReason, &c.heldAt, &c.heldMS, &c.staleMS,
		&c.claimedBy, &c.firstClaimedAt, &rec.Acts, &rec.Vanished, &rec.LookUps, &rec.Requeues, &c.reference,
		&c.lateFinishAt, &c.messageBytes, &c.completion, &c.completedAt, &c.resolvedBy, &c.resolution)
	rec.Policy, rec.HoldReason, rec.ClaimedBy, rec.Reference = c.policy.String, c.holdReason.String, c.claimedBy.String, c.reference.String
	rec.Completion, rec.ResolvedBy, rec.Resolution = c.completion.String, c.resolvedBy.String, c.resolution.String
	rec.HeldAt, rec.FirstClaimedAt = timeOf(c.heldAt), timeOf(c.firstClaimedAt)
	rec.LateFinishAt, rec.CompletedAt = timeOf(c.lateFinishAt), timeOf(c.completedAt)
	rec.Held, rec.Stale = durationOf(c.heldMS), durationOf(c.staleMS)
	rec.MessageStored, rec.MessageBytes = c.messageBytes.Valid, c.messageBytes.Int64
	return rec, err
}

func timeOf(microseconds sql.NullInt64) time.Time {
	if !microseconds.Valid {
		return time.Time{}
	}
	return time.UnixMicro(microseconds.Int64).UTC()
}

func durationOf(milliseconds sql.NullInt64) time.Duration {
	return time.Duration(milliseconds.Int64) * time.Millisecond
}
