package bench_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

var keys atomic.Int64

// nextKey is spread over the table, as the keys of a busy shop are.
func nextKey() string {
	return fmt.Sprintf("%016x", uint64(keys.Add(1))*0x9E3779B97F4A7C15)
}

func outsideJob() job.Job {
	return job.Job{
		Type: "charge_order", Queue: job.SQS, Message: "charges",
		Operation: job.Operation{
			Key: []job.Path{job.MustParsePath("body.order")}, Repeat: "the order is charged twice",
			Fingerprint: []job.Path{job.MustParsePath("body.amount")},
		},
		Effect: job.Effect{Kind: job.Outside, What: "a charge"}, LongestRun: 10 * time.Second, Lease: leaseOfJobs,
		Stale: job.Stale{Policy: job.Hold}, StoreMessage: true,
	}
}

func ownRowJob() job.Job {
	j := outsideJob()
	j.Effect = job.Effect{Kind: job.OwnRow, What: "a row in bookings"}
	j.Stale, j.StoreMessage = job.Stale{}, false
	return j
}

func (p place) guard(b *testing.B, db *sql.DB, j job.Job) *twiceproof.Guard {
	b.Helper()
	g, err := twiceproof.New(db, p.dialect, j, twiceproof.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func delivery(key string) twiceproof.Delivery {
	return twiceproof.Delivery{
		Fields:  job.Fields{"body": map[string]any{"order": key, "amount": json.Number("1250")}},
		Body:    []byte(`{"order":"` + key + `","amount":1250}`),
		Message: []byte(`{"body":"{\"order\":\"` + key + `\",\"amount\":1250,\"currency\":\"EUR\"}"}`),
	}
}

func nothing(context.Context, *twiceproof.Operation) error { return nil }

// done is an error unless the delivery did what it was sent for.
func done(res twiceproof.Result, err error, repeat bool) error {
	if err != nil || res.Outcome != twiceproof.Completed || res.Repeat != repeat {
		return fmt.Errorf("%+v: %w", res, err)
	}
	return nil
}

// inTransaction is a job as it was before: BEGIN, its row, COMMIT.
func inTransaction(db *sql.DB, work func(ctx context.Context, tx *sql.Tx) error) error {
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// book is the job's row.
func (p place) book(ctx context.Context, tx *sql.Tx, key string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO bookings (k) VALUES ("+p.mark(1)+")", key)
	return err
}
