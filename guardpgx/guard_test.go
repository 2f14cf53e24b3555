package guardpgx

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

func TestNewRefuses(t *testing.T) {
	if _, err := New(nil, ownRow(), twiceproof.Options{}); err == nil {
		t.Error("no pool: a guard")
	}
	r := newRig(t, pgx.QueryExecModeExec, 1)
	if _, err := New(r.pool, job.Job{}, twiceproof.Options{}); err == nil {
		t.Error("no job: a guard")
	}
}

// In every mode, with one connection for all of it.
func TestCompleteRepeatMismatch(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		for _, key := range []string{"first", "second, with the texts known", "thi'rd $1 \\ -- é"} {
			res := r.run(key, func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
				op.SetResult([]byte{0, 1, '\'', 255})
				return r.write(ctx, tx, op)
			}, twiceproof.Completed)
			if res.Repeat || res.Completion != "acted" || !res.Acknowledge() {
				t.Errorf("%+v", res)
			}
			res = r.run(key, r.write, twiceproof.Completed)
			if !res.Repeat || string(res.Value) != "\x00\x01'\xff" {
				t.Errorf("repeat: %+v", res)
			}
			res, err := r.guard.RunTx(context.Background(), deliveryOf(key, "13"), r.write)
			if err != nil || res.Outcome != twiceproof.Mismatch {
				t.Errorf("other content: %+v, %v", res, err)
			}
			r.check(key, 1, "completed")
		}
	})
}

// While the body runs, another delivery is answered at once, on another connection.
func TestLive(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 2)
		r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			if res := r.run("k", r.write, twiceproof.Live); res.RetryAfter <= 0 || res.Acknowledge() {
				t.Errorf("live: %+v", res)
			}
			return r.write(ctx, tx, op)
		}, twiceproof.Completed)
		r.check("k", 1, "completed")
	})
}

func TestRunWorksToo(t *testing.T) {
	j := ownRow()
	j.Effect.Kind, j.Stale.Policy = job.Outside, job.Hold
	r := newRigFor(t, pgx.QueryExecModeCacheStatement, 1, j)
	res, err := r.guard.Run(context.Background(), delivery("k"), func(context.Context, *twiceproof.Operation) error { return nil })
	if err != nil || res.Outcome != twiceproof.Completed {
		t.Fatal(res, err)
	}
	if _, err := r.deliver("k2", r.write); err == nil {
		t.Error("RunTx took a job whose effect is outside")
	}
	r.check("k", 0, "completed")
}

// What bounds a stopped worker is set in the transaction and gone after it.
func TestNothingStaysInTheSession(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		settings := []string{"lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout", "tcp_user_timeout"}
		show := func(db interface {
			QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
		}) (values []string) {
			for _, s := range settings {
				var value string
				if err := db.QueryRow(context.Background(), "SELECT current_setting($1::text)", s).Scan(&value); err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
			return values
		}
		before := show(r.pool)
		for _, end := range []error{nil, errors.New("no")} {
			_, _ = r.deliver("k", func(ctx context.Context, tx pgx.Tx, _ *twiceproof.Operation) error {
				if got := show(tx); !slices.Equal(got, []string{before[0], "1min", "1min", "60000"}) {
					t.Errorf("inside: %q", got)
				}
				return end
			})
			if after := show(r.pool); !slices.Equal(after, before) {
				t.Errorf("after: %q, want %q", after, before)
			}
		}
	})
}

func TestLeaseEndsTheBody(t *testing.T) {
	t.Parallel()
	j := ownRow()
	j.LongestRun, j.Lease = 100*time.Millisecond, time.Second
	r := newRigFor(t, pgx.QueryExecModeCacheStatement, 1, j)
	var inQuery error
	res := r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		if err := r.write(ctx, tx, op); err != nil {
			return err
		}
		_, inQuery = tx.Exec(ctx, "SELECT pg_sleep(60)")
		return nil // swallowed
	}, twiceproof.Released)
	if inQuery == nil || !errors.Is(res.Err, twiceproof.ErrDeadline) {
		t.Errorf("%v, %v", inQuery, res.Err)
	}
	r.check("k", 0, "")
	r.run("k", r.write, twiceproof.Completed)
	r.check("k", 1, "completed")
}

func TestCancelled(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeCacheStatement, 1)
	ctx, cancel := context.WithCancel(context.Background())
	res, err := r.guard.RunTx(ctx, delivery("k"), func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		err := r.write(ctx, tx, op)
		cancel()
		return err
	})
	if err != nil || res.Outcome != twiceproof.Released {
		t.Errorf("cancelled in the body: %+v, %v", res, err)
	}
	if _, err := r.guard.RunTx(ctx, delivery("k"), r.write); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	r.check("k", 0, "")
	r.run("k", r.write, twiceproof.Completed)
	r.check("k", 1, "completed")
}
