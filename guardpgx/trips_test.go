package guardpgx

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof"
)

// unguarded is the same job without a guard.
func (r *rig) unguarded(ctx context.Context, key string) error {
	return pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, r.insert(), key)
		return err
	})
}

// trips counts the round trips of a job.
func (r *rig) trips(run func()) int64 {
	before := r.tap.requests.Load()
	run()
	return r.tap.requests.Load() - before
}

// A guarded job costs the round trips of the bare one, with a result or without.
// Only describe_exec asks for the types of each statement each time.
func TestRoundTrips(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		bare, guarded := int64(3), int64(3)
		if mode == pgx.QueryExecModeDescribeExec {
			bare, guarded = 4, 6
		}
		withResult := func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			op.SetResult([]byte("done"))
			return r.write(ctx, tx, op)
		}
		r.run("warm", withResult, twiceproof.Completed)
		for _, c := range []struct {
			what string
			want int64
			run  func()
		}{
			{"unguarded", bare, func() { _ = r.unguarded(context.Background(), "bare") }},
			{"guarded", guarded, func() { r.run("a", r.write, twiceproof.Completed) }},
			{"with a result", guarded, func() { r.run("b", withResult, twiceproof.Completed) }},
		} {
			if got := r.trips(c.run); got != c.want {
				t.Errorf("%s: %d round trips, want %d", c.what, got, c.want)
			}
		}
		r.check("bare", 1, "")
	})
}
