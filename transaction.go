package twiceproof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"time"
)

// Statement is one SQL statement with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// Transaction is how the guard drives the transaction that holds an own row's
// claim, effect and completion. RunTx has one over database/sql, guardpgx one that
// sends less. The guard calls Begin once, then Commit or Rollback or both.
type Transaction interface {
	// Begin opens the outermost transaction and sends the claim as its first
	// statement, then, if that answered a row, the marks. It answers the row's only
	// column; none means that nothing was claimed.
	Begin(ctx context.Context, claim Statement, marks ...Statement) (id string, claimed bool, err error)
	// Commit sends the last statements and then COMMIT. It returns nil only when the
	// server has said that it committed; ErrNotCommitted is wrapped when it is
	// certain that it did not.
	Commit(ctx context.Context, last ...Statement) error
	// Rollback ends the transaction if it is open.
	Rollback(ctx context.Context)
}

// ErrNotCommitted is wrapped by the error of Transaction.Commit when nothing was
// committed, such as when the seal failed.
var ErrNotCommitted = errors.New("not committed")

// sqlTransaction is a transaction over database/sql, on a connection of its own.
type sqlTransaction struct {
	db   *sql.DB
	conn *sql.Conn
	tx   *sql.Tx

	mysql *mysqlRecords // for MySQL only
	lease time.Duration
	undo  *mysqlSession // what the connection is to be set to again
	over  bool          // the server has said that the transaction is over
}

func (t *sqlTransaction) Begin(ctx context.Context, claim Statement, marks ...Statement) (id string, claimed bool, err error) {
	if err = t.open(ctx); err != nil {
		return "", false, err
	}
	if t.mysql != nil {
		claimed, err = t.claimMySQL(ctx, claim, marks)
		return "", claimed && err == nil, err
	}
	err = t.tx.QueryRowContext(ctx, claim.SQL, claim.Args...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err == nil {
		err = t.exec(ctx, marks...)
	}
	return id, err == nil, err
}

// open finds a connection that is alive: the pool's may have been closed by a server
// that was restarted.
func (t *sqlTransaction) open(ctx context.Context) (err error) {
	for range 3 {
		if t.conn, err = t.db.Conn(ctx); err != nil {
			return err
		}
		if t.tx, err = t.conn.BeginTx(ctx, nil); !errors.Is(err, driver.ErrBadConn) {
			return err
		}
		_ = t.conn.Close() // for good: the pool keeps none that is bad
	}
	return err
}

func (t *sqlTransaction) Commit(ctx context.Context, last ...Statement) error {
	if err := t.exec(ctx, last...); err != nil {
		return errors.Join(ErrNotCommitted, err)
	}
	err := t.tx.Commit()
	if err != nil {
		t.discard()
	}
	t.over = err == nil
	if rolledBack(err) {
		return errors.Join(ErrNotCommitted, err)
	}
	return err
}

// rolledBack tells whether the database answered COMMIT with an error that says by itself
// that it was not done, such as that of a deferred constraint. In PostgreSQL classes 53, 58
// and XX may be a PANIC, after which nobody can tell; 40003 says so itself. In SQLite 13 is
// SQLITE_FULL and 19 SQLITE_CONSTRAINT. MySQL has no deferred constraints.
func rolledBack(err error) bool {
	var pg interface{ SQLState() string }
	if errors.As(err, &pg) {
		state := pg.SQLState()
		doubt := len(state) != 5 || state == "40003" || slices.Contains([]string{"08", "53", "57", "58", "XX"}, state[:2])
		return !doubt
	}
	var lite interface{ Code() int }
	return errors.As(err, &lite) && slices.Contains([]int{13, 19}, lite.Code()&0xff)
}

func (t *sqlTransaction) exec(ctx context.Context, statements ...Statement) error {
	for _, s := range statements {
		if _, err := t.tx.ExecContext(ctx, s.SQL, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// discard closes the connection for good. A COMMIT that failed can leave its
// transaction open (SQLite answers a busy COMMIT so), and the next job that got the
// connection would write into it.
func (t *sqlTransaction) discard() {
	_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
}

func (t *sqlTransaction) Rollback(ctx context.Context) {
	if t.tx != nil && t.tx.Rollback() == nil { // or done already, or the connection is gone and the server rolls back
		t.over = true
	}
	if t.undo != nil {
		t.unlimit(ctx)
	}
	if t.conn != nil {
		_ = t.conn.Close() // back to the pool; once is enough
	}
}
