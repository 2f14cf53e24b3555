package admin

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Status is one job type's records, counted.
type Status struct {
	JobType string
	// Live and Stale are claims that nobody let go; Released (surely not applied) and
	// Unknown are those that were.
	Live, Stale, Released, Unknown int64
	// Overdue are the claims of all kinds that have been stale for longer than their
	// lease, and than the job's: no message has brought them to an end.
	Overdue   int64
	Held      map[string]int64 // by reason
	Completed map[string]int64 // by completion
	// LateFinishes are records of whatever state where a second effect may exist.
	LateFinishes int64
	Repeats      int64
	OldestStale  time.Duration
	OldestHeld   time.Duration
}

// UnknownLease stands for the lease of a job that no job file names.
const UnknownLease = 15 * time.Minute

// Status counts the records of each job type, in the order of their names. lease tells
// a job type's lease, 0 where that is not known; it may be nil.
func (r *Records) Status(ctx context.Context, w Walk, lease func(jobType string) time.Duration) ([]Status, error) {
	var all []Status
	err := r.jobTypes(ctx, w.JobType, func(jobType string) error {
		s := Status{JobType: jobType, Held: map[string]int64{}, Completed: map[string]int64{}}
		least := UnknownLease
		if lease != nil && lease(jobType) > 0 {
			least = lease(jobType)
		}
		for after := ""; ; {
			page, last, err := r.statusPage(ctx, jobType, after, least)
			if err != nil {
				return err
			}
			if last == "" {
				all = append(all, s)
				return nil
			}
			for _, c := range page {
				s.add(c)
				w.add(c.n)
			}
			after = last
		}
	})
	if err != nil {
		return nil, fmt.Errorf("count records: %w", err)
	}
	return all, nil
}

// counted are the records of one page with the same state and detail.
type counted struct {
	state, detail                     string
	n, lateFinishes, repeats, overdue int64
	longest                           time.Duration
}

func (r *Records) statusPage(ctx context.Context, jobType, after string, least time.Duration) (page []counted, last string, err error) {
	read := func(rows *sql.Rows) error {
		var c counted
		var longest sql.NullInt64
		var key string
		err := rows.Scan(&c.state, &c.detail, &c.n, &c.lateFinishes, &c.repeats, &longest, &c.overdue, &key)
		c.longest = durationOf(longest)
		page, last = append(page, c), max(last, key)
		return err
	}
	args := []any{jobType, after, pageSize, least.Milliseconds()}
	err = r.query(ctx, r.sql.Status, args, func() { page, last = nil, "" }, read)
	return page, last, err
}

func (s *Status) add(c counted) {
	s.LateFinishes += c.lateFinishes
	s.Repeats += c.repeats
	s.Overdue += c.overdue
	switch c.state {
	case stateHeld:
		s.Held[c.detail] += c.n
		s.OldestHeld = max(s.OldestHeld, c.longest)
		return
	case stateCompleted:
		s.Completed[c.detail] += c.n
		return
	}
	s.OldestStale = max(s.OldestStale, c.longest)
	switch c.detail {
	case "live":
		s.Live += c.n
	case "released":
		s.Released += c.n
	case "unknown_outcome":
		s.Unknown += c.n
	default:
		s.Stale += c.n
	}
}

// HeldInAll is how many wait for a person.
func (s Status) HeldInAll() (n int64) {
	for _, held := range s.Held {
		n += held
	}
	return n
}
