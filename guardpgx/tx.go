package guardpgx

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrGuardsTransaction is what Commit and Rollback of the body's transaction
// return. The guard ends it by what the body returns.
var ErrGuardsTransaction = errors.New("the transaction is the guard's: return nil to commit, an error to roll back")

// bodyTx is the transaction as the body sees it, or a savepoint of it. What is not
// refused here goes through to the embedded one, which is never ended.
type bodyTx struct {
	pgx.Tx
	shared    *shared
	savepoint string // empty: the guard's transaction itself
	closed    bool
}

// shared is one for the transaction and all its savepoints.
type shared struct {
	over       atomic.Bool // the body has returned
	rollBack   atomic.Bool
	savepoints atomic.Int64
}

func (x *bodyTx) end() { x.shared.over.Store(true) }

func (x *bodyTx) askedToRollBack() bool { return x.shared.rollBack.Load() }

func (x *bodyTx) usable() error {
	if x.closed || x.shared.over.Load() {
		return pgx.ErrTxClosed
	}
	return nil
}

func (x *bodyTx) Begin(ctx context.Context) (pgx.Tx, error) {
	name := "twiceproof_" + strconv.FormatInt(x.shared.savepoints.Add(1), 10)
	if _, err := x.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return nil, err
	}
	return &bodyTx{Tx: x.Tx, shared: x.shared, savepoint: name}, nil
}

func (x *bodyTx) Commit(ctx context.Context) error {
	if x.savepoint == "" {
		return x.refuse()
	}
	return x.finish(ctx, "RELEASE SAVEPOINT ")
}

func (x *bodyTx) Rollback(ctx context.Context) error {
	if x.savepoint == "" {
		x.shared.rollBack.Store(true)
		return x.refuse()
	}
	return x.finish(ctx, "ROLLBACK TO SAVEPOINT ")
}

func (x *bodyTx) refuse() error {
	if err := x.usable(); err != nil {
		return err
	}
	return ErrGuardsTransaction
}

func (x *bodyTx) finish(ctx context.Context, how string) error {
	_, err := x.Exec(ctx, how+x.savepoint)
	x.closed = true
	return err
}

func (x *bodyTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := x.usable(); err != nil {
		return pgconn.CommandTag{}, err
	}
	return x.Tx.Exec(ctx, sql, args...)
}

func (x *bodyTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := x.usable(); err != nil {
		return pgx.FailedBatchResults(&pgx.Batch{}, err).Query()
	}
	return x.Tx.Query(ctx, sql, args...)
}

func (x *bodyTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := x.usable(); err != nil {
		return pgx.FailedBatchResults(&pgx.Batch{}, err).QueryRow()
	}
	return x.Tx.QueryRow(ctx, sql, args...)
}

func (x *bodyTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if err := x.usable(); err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	return x.Tx.SendBatch(ctx, b)
}

func (x *bodyTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if err := x.usable(); err != nil {
		return 0, err
	}
	return x.Tx.CopyFrom(ctx, table, columns, rows)
}

func (x *bodyTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := x.usable(); err != nil {
		return nil, err
	}
	return x.Tx.Prepare(ctx, name, sql)
}
