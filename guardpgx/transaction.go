package guardpgx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/twiceproof/twiceproof"
)

// What the server says with ReadyForQuery.
const (
	idle          = 'I'
	inTransaction = 'T'
)

// rollbackPatience is how long ROLLBACK may take before the connection is closed
// instead, which does the same.
const rollbackPatience = 5 * time.Second

// transaction is a twiceproof.Transaction over one connection of the pool.
type transaction struct {
	pool *pgxpool.Pool
	conn *pgxpool.Conn // nil when there is none, or not any more
	body *bodyTx
}

func (t *transaction) Begin(ctx context.Context, claim twiceproof.Statement, marks ...twiceproof.Statement) (id string, claimed bool, err error) {
	if t.conn, err = t.pool.Acquire(ctx); err != nil {
		return "", false, err
	}
	if t.status() != idle {
		return "", false, errors.New("the pool gave a connection that is in a transaction")
	}
	var batch pgx.Batch
	batch.BeginTx(pgx.TxOptions{})
	batch.Queue(claim.SQL, claim.Args...)
	answers := t.conn.SendBatch(ctx, &batch)
	_, err = answers.Exec() // BEGIN
	if err == nil {
		err = answers.QueryRow().Scan(&id)
	}
	none := errors.Is(err, pgx.ErrNoRows)
	if closed := answers.Close(); err == nil || none {
		err = closed
	}
	switch {
	case err != nil:
		return "", false, err
	case t.status() != inTransaction:
		return "", false, fmt.Errorf("after BEGIN the server is in state %q", t.status())
	case none:
		return "", false, nil
	}
	t.body = &bodyTx{Tx: answers.Tx(), shared: &shared{}}
	return id, true, t.send(ctx, marks)
}

// send is for statements of which only success matters.
func (t *transaction) send(ctx context.Context, statements []twiceproof.Statement) error {
	if len(statements) == 0 {
		return nil
	}
	return t.conn.SendBatch(ctx, queue(statements)).Close()
}

func queue(statements []twiceproof.Statement) *pgx.Batch {
	batch := &pgx.Batch{}
	for _, s := range statements {
		batch.Queue(s.SQL, s.Args...)
	}
	return batch
}

func (t *transaction) Rollback(ctx context.Context) {
	if t.conn == nil {
		return
	}
	// A busy connection has rows that the body left open: nothing can be sent.
	busy := t.conn.Conn().PgConn().IsBusy()
	if !busy && t.status() != idle {
		try, cancel := context.WithTimeout(ctx, rollbackPatience)
		defer cancel()
		_, _ = t.conn.Exec(try, "ROLLBACK") // the state that follows tells
	}
	if busy || t.status() != idle {
		t.discard(ctx)
	}
	t.release()
}

func (t *transaction) status() byte { return t.conn.Conn().PgConn().TxStatus() }

// discard closes the connection, at which the server rolls back what is open. The
// pool then drops it.
func (t *transaction) discard(ctx context.Context) {
	try, cancel := context.WithTimeout(ctx, rollbackPatience)
	defer cancel()
	_ = t.conn.Conn().Close(try) // closed in any case
}

func (t *transaction) release() {
	t.conn.Release()
	t.conn = nil
}
