package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Sweeper handles one job's stale claims for which no message comes any more.
// It never acts and never looks up, so it needs less than a Guard.
type Sweeper struct {
	job     job.Job
	records records
}

// NewSweeper makes a job's sweeper. An empty table means idempotency_records. It
// does not touch the database.
func NewSweeper(db *sql.DB, d Dialect, j job.Job, table string) (*Sweeper, error) {
	if db == nil {
		return nil, errors.New("new sweeper: no database given")
	}
	if err := j.Validate(); err != nil {
		return nil, fmt.Errorf("new sweeper: %w", err)
	}
	records, err := newRecords(db, d, j, table)
	if err != nil {
		return nil, fmt.Errorf("new sweeper: %w", err)
	}
	return &Sweeper{job: j, records: records}, nil
}

// Sweep walks through the job's records once, in the order of their keys, and does
// about each stale claim what a delivery would: it holds, takes as done,
// or, where a delivery would take over, puts the stored message back, which brings
// one: marked first, pushed second, at most once a lease and max_takeovers times.
//
// It may be stopped and run again at any time, and run twice at once: every write is
// conditional on what was read. ctx stops it between two records. An error means
// that the rest was not looked at.
func (s *Sweeper) Sweep(ctx context.Context, o SweepOptions) (SweepReport, error) {
	w := sweep{Sweeper: s, SweepOptions: o}
	if o.Apply && o.PutBack == nil {
		return w.report, errors.New("sweep: Apply needs PutBack")
	}
	if err := resend(ctx, time.Now().Add(claimPatience), s.records.checkSession); err != nil {
		return w.report, fmt.Errorf("sweep: %w", err)
	}
	for after := ""; ; {
		page, err := s.page(ctx, after)
		if err != nil {
			return w.report, fmt.Errorf("sweep: read stale claims: %w", err)
		}
		if len(page) == 0 {
			return w.report, nil
		}
		for _, r := range page {
			if err := ctx.Err(); err != nil {
				return w.report, fmt.Errorf("sweep: %w", err)
			}
			if err := w.handle(ctx, r); err != nil {
				return w.report, fmt.Errorf("sweep: %w", err)
			}
		}
		after = page[len(page)-1].key
	}
}

// sweepPage is how many records, stale or not, one statement looks at.
const sweepPage = 1000

func (s *Sweeper) page(ctx context.Context, after string) (page []staleRecord, err error) {
	err = resend(ctx, time.Now().Add(claimPatience), func(ctx context.Context) (err error) {
		page, err = s.records.stale(ctx, after, sweepPage)
		return err
	})
	return page, err
}

// sweep is one sweep on its way.
type sweep struct {
	*Sweeper
	SweepOptions
	report  SweepReport
	refused int // messages, one after another
}

// handle returns an error when the database, or the queue for several messages one
// after another, does not answer.
func (w *sweep) handle(ctx context.Context, r staleRecord) error {
	ctx = context.WithoutCancel(ctx) // what is begun is ended
	d := decideStale(r, w.job)
	var message []byte
	if d.next == nextPutBack {
		var there bool
		var err error
		if message, there, err = w.message(ctx, r); err != nil {
			return err
		}
		if !there {
			w.report.Moved++
			return nil
		}
		d = w.withMessage(r, d, message)
	}
	if d.next == nextWait {
		w.report.Waiting++
	}
	if d.next != nextPutBack && !d.writes() { // writes: hold and assume; a takeover has become put_back
		return nil
	}
	return w.act(ctx, r, d, message)
}

func (w *sweep) withMessage(r staleRecord, d decision, message []byte) decision {
	var fields job.Fields
	var unreadable error
	if w.Fields != nil && message != nil {
		fields, unreadable = w.Fields(message)
	}
	return decideMessage(r, d, message != nil, fields, unreadable, w.job)
}

// act does it, or only tells of it.
func (w *sweep) act(ctx context.Context, r staleRecord, d decision, message []byte) (err error) {
	a := Swept{Key: r.key, Action: string(d.next), Reason: d.reason, Stale: r.staleFor, Age: r.knownFor}
	if d.next == nextAssume {
		a.Reason = staleReason(r.record)
	}
	if w.Apply {
		var moved bool
		if moved, err = w.write(ctx, r, d); moved {
			w.report.Moved++
			return nil
		}
		if a.Err = err; err == nil && d.next == nextPutBack {
			a.Err, err = w.push(ctx, message)
		}
		if errors.Is(err, errReplyLost) {
			err = nil // the database answers again
		}
		a.Done = a.Err == nil
	}
	w.tell(a, d.next)
	return err
}

func (w *sweep) tell(a Swept, did next) {
	switch {
	case a.Err != nil:
		w.report.Failed++
	case did == nextPutBack:
		w.report.PutBack++
	case did == nextAssume:
		w.report.Assumed++
	default:
		w.report.Held++
	}
	if w.Each != nil {
		w.Each(a)
	}
}
