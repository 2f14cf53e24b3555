package guardpgx

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof"
)

var errBody = errors.New("the body's own")

// Whatever ends the body without nil leaves nothing, and the next delivery acts.
func TestBodyThatFails(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeCacheStatement, 1)
	res := r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		return errors.Join(r.write(ctx, tx, op), errBody)
	}, twiceproof.Released)
	if !errors.Is(res.Err, errBody) {
		t.Errorf("%v", res.Err)
	}
	r.check("k", 0, "")

	func() {
		defer func() {
			if p := recover(); p != errBody {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _ = r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			_ = r.write(ctx, tx, op)
			panic(errBody)
		})
	}()
	r.check("k", 0, "")

	var ended sync.WaitGroup
	ended.Go(func() {
		_, _ = r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			_ = r.write(ctx, tx, op)
			runtime.Goexit()
			return nil
		})
	})
	ended.Wait()
	r.check("k", 0, "")

	// In the middle of reading rows.
	func() {
		defer func() { _ = recover() }()
		_, _ = r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			_ = r.write(ctx, tx, op)
			rows, _ := tx.Query(ctx, "SELECT generate_series(1, 100000)")
			rows.Next()
			panic(errBody)
		})
	}()
	r.check("k", 0, "")

	r.run("k", r.write, twiceproof.Completed)
	r.check("k", 1, "completed")
}

// sql is a body that writes, sends the texts and swallows what they answer.
func (r *rig) sql(texts ...string) ActTx {
	return func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		if err := r.write(ctx, tx, op); err != nil {
			return err
		}
		for _, text := range texts {
			_, _ = tx.Exec(ctx, text)
		}
		return nil
	}
}

// A body that returns nil although its transaction failed, or is not the claim's
// any more. What it committed by itself, with the claim in it, waits for a person.
func TestBodyThatBreaksTheTransaction(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		for name, c := range map[string]struct {
			texts   []string
			effects int
			state   string
		}{
			"swallowed an error":      {[]string{"SELECT 1/0"}, 0, ""},
			"ROLLBACK":                {[]string{"ROLLBACK"}, 0, ""},
			"ROLLBACK, BEGIN":         {[]string{"ROLLBACK", "BEGIN"}, 0, ""},
			"ROLLBACK AND CHAIN":      {[]string{"ROLLBACK AND CHAIN"}, 0, ""},
			"an error, then COMMIT":   {[]string{"SELECT 1/0", "COMMIT"}, 0, ""},
			"COMMIT":                  {[]string{"COMMIT"}, 1, "held"},
			"COMMIT, BEGIN":           {[]string{"COMMIT", "BEGIN"}, 1, "held"},
			"COMMIT AND CHAIN":        {[]string{"COMMIT AND CHAIN", "CREATE TEMP TABLE IF NOT EXISTS x ()"}, 1, "held"},
			"COMMIT, BEGIN, an error": {[]string{"COMMIT", "BEGIN", "SELECT 1/0"}, 1, "held"},
			"killed its connection":   {[]string{"SELECT pg_terminate_backend(pg_backend_pid())"}, 0, ""},
		} {
			res, err := r.deliver(name, r.sql(c.texts...))
			if !errors.Is(err, twiceproof.ErrNotCommitted) || res.Acknowledge() != (c.state == "held") {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
			r.check(name, c.effects, c.state)
			if c.state == "" {
				r.redeliver(name, false)
			} else {
				r.run(name, r.write, twiceproof.Held)
			}
		}
		// What does no harm.
		for _, text := range []string{"BEGIN", "SAVEPOINT a; SELECT 1; RELEASE a", "-- nothing"} {
			r.run(text, r.sql(text), twiceproof.Completed)
			r.check(text, 1, "completed")
		}
	})
}

func TestCommitAndRollbackAreRefused(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeCacheStatement, 1)
	r.run("commit", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		if err := tx.Commit(ctx); !errors.Is(err, ErrGuardsTransaction) {
			t.Errorf("commit: %v", err)
		}
		return r.write(ctx, tx, op)
	}, twiceproof.Completed)
	r.check("commit", 1, "completed")

	res, err := r.deliver("rollback", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		if err := tx.Rollback(ctx); !errors.Is(err, ErrGuardsTransaction) {
			t.Errorf("rollback: %v", err)
		}
		return r.write(ctx, tx, op)
	})
	if !errors.Is(err, twiceproof.ErrNotCommitted) || !errors.Is(err, ErrGuardsTransaction) || res.Acknowledge() {
		t.Errorf("asked to roll back, returned nil: %+v, %v", res, err)
	}
	r.check("rollback", 0, "")

	r.run("rollback", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		defer func() { _ = tx.Rollback(ctx) }()
		return errors.Join(r.write(ctx, tx, op), errBody)
	}, twiceproof.Released)
	r.check("rollback", 0, "")
}

func TestSavepoints(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			failing := func(tx pgx.Tx) error {
				_ = r.write(ctx, tx, op)
				_, err := tx.Exec(ctx, "SELECT 1/0")
				return err
			}
			if err := pgx.BeginFunc(ctx, tx, failing); err == nil {
				t.Error("no error out of a savepoint")
			}
			return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
				if err := pgx.BeginFunc(ctx, tx, failing); err == nil {
					t.Error("no error out of a savepoint in a savepoint")
				}
				if err := r.write(ctx, tx, op); err != nil {
					return err
				}
				if err := tx.Commit(ctx); err != nil {
					return err
				}
				if err := tx.Commit(ctx); !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("a released savepoint: %v", err)
				}
				if err := tx.Rollback(ctx); !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("a released savepoint: %v", err)
				}
				return errBody // after the release: for BeginFunc, not for the effect
			})
		}, twiceproof.Released)
		r.check("k", 0, "")
		r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			_ = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return errors.Join(r.write(ctx, tx, op), errBody) })
			return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return r.write(ctx, tx, op) })
		}, twiceproof.Completed)
		r.check("k", 1, "completed")
	})
}

// The body may use all that a transaction of pgx has.
func TestAllOfTx(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			n, err := tx.CopyFrom(ctx, pgx.Identifier{r.effects}, []string{"what"}, pgx.CopyFromRows([][]any{{op.Key}, {op.Key}}))
			if err != nil || n != 2 {
				return errors.Join(err, errBody)
			}
			var batch pgx.Batch
			batch.Queue(r.insert(), op.Key)
			batch.Queue(r.insert(), op.Key)
			if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
				return err
			}
			if _, err := tx.Prepare(ctx, "mine", r.insert()); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "DEALLOCATE mine"); err != nil {
				return err
			}
			objects := tx.LargeObjects()
			oid, err := objects.Create(ctx, 0)
			if err != nil {
				return err
			}
			if err := objects.Unlink(ctx, oid); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, "SELECT what FROM "+r.effects+" WHERE what = $1::text", op.Key)
			if err != nil {
				return err
			}
			if all, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(all) != 4 {
				return errors.Join(err, errBody)
			}
			var again pgx.Batch
			again.BeginTx(pgx.TxOptions{})
			if err := tx.SendBatch(ctx, &again).Close(); err == nil {
				t.Error("a batch began a transaction in the guard's")
			}
			return nil
		}, twiceproof.Completed)
		r.check("k", 4, "completed")
	})
}

// Rows that are still open when the body returns: nothing can be sent after them.
func TestRowsLeftOpen(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		res, err := r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			_ = r.write(ctx, tx, op)
			open, err := tx.Query(ctx, "SELECT generate_series(1, 100000)")
			_ = open.Next()
			return err
		})
		if !errors.Is(err, twiceproof.ErrNotCommitted) || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		r.check("k", 0, "")
		r.run("k", r.write, twiceproof.Completed)
		r.check("k", 1, "completed")
	})
}

// A body that keeps its transaction cannot write into the next job's.
func TestKeptTransactionIsClosed(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeCacheStatement, 1)
	ctx := context.Background()
	var kept, savepoint pgx.Tx
	r.run("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) (err error) {
		kept = tx
		savepoint, err = tx.Begin(ctx)
		return errors.Join(err, r.write(ctx, tx, op))
	}, twiceproof.Completed)
	r.run("next", func(_ context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
		for _, tx := range []pgx.Tx{kept, savepoint} {
			var n int
			_, begin := tx.Begin(ctx)
			_, exec := tx.Exec(ctx, r.insert(), "next")
			rows, query := tx.Query(ctx, "SELECT 1")
			rows.Close()
			_, copyFrom := tx.CopyFrom(ctx, pgx.Identifier{r.effects}, []string{"what"}, pgx.CopyFromRows(nil))
			_, prepare := tx.Prepare(ctx, "mine", "SELECT 1")
			for what, err := range map[string]error{
				"Begin": begin, "Exec": exec, "Query": query, "CopyFrom": copyFrom, "Prepare": prepare,
				"QueryRow": tx.QueryRow(ctx, "SELECT 1").Scan(&n), "SendBatch": tx.SendBatch(ctx, &pgx.Batch{}).Close(),
				"Commit": tx.Commit(ctx), "Rollback": tx.Rollback(ctx),
			} {
				if !errors.Is(err, pgx.ErrTxClosed) {
					t.Errorf("%s after the end: %v", what, err)
				}
			}
		}
		return r.write(ctx, tx, op)
	}, twiceproof.Completed)
	r.check("k", 1, "completed")
	r.check("next", 1, "completed")
}

// A constraint that is checked at COMMIT refuses it: certainly not committed.
func TestDeferredConstraint(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		r.exec(r.plain, "ALTER TABLE "+r.effects+" ADD UNIQUE (what) DEFERRABLE INITIALLY DEFERRED")
		res, err := r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			return errors.Join(r.write(ctx, tx, op), r.write(ctx, tx, op))
		})
		var answer *pgconn.PgError
		if !errors.Is(err, twiceproof.ErrNotCommitted) || !errors.Is(err, twiceproof.ErrBody) || !errors.As(err, &answer) || answer.Code != "23505" || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		r.check("k", 0, "")
		r.run("k", r.write, twiceproof.Completed)
		r.check("k", 1, "completed")
	})
}
