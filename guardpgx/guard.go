package guardpgx

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// ActTx is the body of a job whose effect is rows in the application's own
// database. Everything it writes goes through tx, which is the guard's: returning
// nil commits, anything else rolls back.
type ActTx func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error

// Guard is a twiceproof.Guard over a pool of pgx. It is safe for concurrent use.
type Guard struct {
	*twiceproof.Guard
	pool *pgxpool.Pool
	db   *sql.DB // the pool again, for the guard's statements outside RunTx
}

// New makes the guard of a job over the application's own pool. It does not touch
// the database.
func New(pool *pgxpool.Pool, j job.Job, o twiceproof.Options) (*Guard, error) {
	if pool == nil {
		return nil, errors.New("new guard: no pool given")
	}
	db := stdlib.OpenDBFromPool(pool)
	g, err := twiceproof.New(db, twiceproof.Postgres, j, o)
	if err != nil {
		_ = db.Close() // holds no connection yet
		return nil, err
	}
	return &Guard{Guard: g, pool: pool, db: db}, nil
}

// Close frees what New made. The pool stays open.
func (g *Guard) Close() error { return g.db.Close() }

// RunTx performs the operation of one delivery once, like twiceproof.Guard.RunTx
// and with the same answers.
func (g *Guard) RunTx(ctx context.Context, d twiceproof.Delivery, act ActTx) (twiceproof.Result, error) {
	t := &transaction{pool: g.pool}
	return g.RunIn(ctx, d, t, func(ctx context.Context, op *twiceproof.Operation) error {
		defer t.body.end()
		return act(ctx, t.body, op)
	})
}
