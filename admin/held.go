package admin

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Held gives the held operations, those that have waited longest first.
func (r *Records) Held(ctx context.Context, w Walk) ([]Record, error) {
	var all []Record
	err := r.jobTypes(ctx, w.JobType, func(jobType string) error {
		for after := ""; ; {
			records, last, err := r.pageEnd(ctx, jobType, after)
			if err != nil || records == 0 {
				return err
			}
			page, err := r.heldPage(ctx, jobType, after, last)
			if err != nil {
				return err
			}
			all = append(all, page...)
			after = last
			w.add(records)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read held operations: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Record) int {
		if c := a.HeldAt.Compare(b.HeldAt); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return all, nil
}

func (r *Records) pageEnd(ctx context.Context, jobType, after string) (records int64, last string, err error) {
	var key sql.NullString
	_, err = r.row(ctx, r.sql.PageEnd, []any{jobType, after, pageSize}, &records, &key)
	return records, key.String, err
}

func (r *Records) heldPage(ctx context.Context, jobType, after, last string) (page []Record, err error) {
	read := func(rows *sql.Rows) error {
		rec, err := scan(rows, jobType)
		page = append(page, rec)
		return err
	}
	err = r.query(ctx, r.sql.Held, []any{jobType, after, last}, func() { page = nil }, read)
	return page, err
}

// Message is the stored message of a held operation, nil when none is stored; false
// when it is no longer held as it was read.
func (r *Records) Message(ctx context.Context, rec Record) (message []byte, there bool, err error) {
	there, err = r.row(ctx, r.sql.HeldMessage, []any{rec.JobType, rec.Key, rec.token, rec.HeldAt.UnixMicro()}, &message)
	if err != nil {
		err = fmt.Errorf("read stored message: %w", err)
	}
	return message, there, err
}
