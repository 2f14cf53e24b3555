package guardpgx

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof"
)

// Many deliveries of one operation at once: one acts, the others find it live or
// done, and when the first to act fails another one can.
func TestOneOfMany(t *testing.T) {
	for _, c := range []struct{ deliveries, rounds int }{{2, 150}, {8, 60}, {32, 20}} {
		t.Run(fmt.Sprint(c.deliveries), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, pgx.QueryExecModeCacheStatement, int32(c.deliveries))
			for round := range c.rounds {
				r.oneOfMany(fmt.Sprintf("k%d", round), c.deliveries, round%3 == 0)
			}
			if n := r.count("SELECT count(*) FROM " + r.effects); n != c.rounds {
				t.Errorf("%d effects, want %d", n, c.rounds)
			}
		})
	}
}

func (r *rig) oneOfMany(key string, deliveries int, firstFails bool) {
	r.t.Helper()
	var entered, acted atomic.Int32
	act := func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		if err := r.write(ctx, tx, op); err != nil {
			return err
		}
		if entered.Add(1) == 1 && firstFails {
			return errBody
		}
		return nil
	}
	start := make(chan struct{})
	var all sync.WaitGroup
	for range deliveries {
		all.Go(func() {
			<-start
			res, err := r.deliver(key, act)
			switch {
			case err != nil:
				r.t.Errorf("%s: %v", key, err)
			case res.Outcome == twiceproof.Completed && !res.Repeat:
				acted.Add(1)
			case res.Outcome != twiceproof.Live && res.Outcome != twiceproof.Completed && res.Outcome != twiceproof.Released:
				r.t.Errorf("%s: %+v", key, res)
			}
		})
	}
	close(start)
	all.Wait()
	if acted.Load() == 0 { // all came while the one that failed was acting
		r.run(key, act, twiceproof.Completed)
		acted.Add(1)
	}
	if acted.Load() != 1 {
		r.t.Errorf("%s: acted %d times", key, acted.Load())
	}
}

// Different operations do not hinder each other on a pool that is too small.
func TestManyOperations(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeCacheStatement, 3)
	const operations = 100
	var all sync.WaitGroup
	for i := range operations {
		all.Go(func() {
			if res, err := r.deliver(fmt.Sprint(i), r.write); err != nil || res.Outcome != twiceproof.Completed {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	all.Wait()
	if n := r.count("SELECT count(DISTINCT what) FROM " + r.effects); n != operations {
		t.Errorf("%d effects, want %d", n, operations)
	}
}
