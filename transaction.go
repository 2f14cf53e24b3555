package twiceproof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
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
	over  bool          // the server has said that the transaction was committed
}

func (t *sqlTransaction) Begin(ctx context.Context, claim Statement, marks ...Statement) (id string, claimed bool, err error) {
	if err = t.open(ctx); err != nil {
		return "", false, err
	}
	if t.mysql != nil {
		claimed, err = t.insert(ctx, claim)
	} else {
		err = t.tx.QueryRowContext(ctx, claim.SQL, claim.Args...).Scan(&id)
		claimed = err == nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if claimed {
		err = t.exec(ctx, marks)
	}
	return id, claimed && err == nil, err
}

// insert: an INSERT of MySQL answers no row; its insert id tells.
func (t *sqlTransaction) insert(ctx context.Context, claim Statement) (claimed bool, err error) {
	result, err := t.tx.ExecContext(ctx, claim.SQL, claim.Args...)
	if err != nil {
		return false, err
	}
	return didMatch(result, true)
}

// open finds a connection that is alive: the pool's may have been closed by a server
// that was restarted.
func (t *sqlTransaction) open(ctx context.Context) (err error) {
	for range 3 {
		if t.conn, err = t.db.Conn(ctx); err != nil {
			return err
		}
		if err = t.limit(ctx); err == nil {
			t.tx, err = t.conn.BeginTx(ctx, nil)
		}
		if !errors.Is(err, driver.ErrBadConn) {
			return err
		}
		_ = t.conn.Close() // for good: the pool keeps none that is bad
	}
	return err
}

// limit lets MySQL end the transaction of a stopped worker with its lease, and keeps
// what a body writes after its transaction is gone from being committed. Those
// settings are the session's, so they are undone before the pool has it again.
func (t *sqlTransaction) limit(ctx context.Context) error {
	if t.mysql == nil {
		return nil
	}
	now, err := t.mysql.sessionOf(ctx, t.conn)
	if err != nil {
		return err
	}
	t.undo = &now
	return t.mysql.set(ctx, t.conn, now.within(t.lease), false)
}

func (t *sqlTransaction) Commit(ctx context.Context, last ...Statement) error {
	if err := t.exec(ctx, last); err != nil {
		return errors.Join(ErrNotCommitted, err)
	}
	err := t.tx.Commit()
	if err != nil {
		t.discard()
	}
	t.over = err == nil
	return err
}

func (t *sqlTransaction) exec(ctx context.Context, statements []Statement) error {
	for _, s := range statements {
		if _, err := t.tx.ExecContext(ctx, s.SQL, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// unlimit ends the transaction by itself first: setting autocommit on commits what is
// open, and database/sql rolls a cancelled one back in a goroutine that may come later.
func (t *sqlTransaction) unlimit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, tryPatience)
	defer cancel()
	var err error
	if !t.over {
		_, err = t.conn.ExecContext(ctx, "ROLLBACK")
	}
	if err == nil {
		err = t.mysql.set(ctx, t.conn, *t.undo, true)
	}
	if err != nil {
		t.discard()
	}
	t.undo = nil
}

// discard closes the connection for good. A COMMIT that failed can leave its
// transaction open (SQLite answers a busy COMMIT so), and the next job that got the
// connection would write into it.
func (t *sqlTransaction) discard() {
	_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
}

func (t *sqlTransaction) Rollback(ctx context.Context) {
	if t.tx != nil {
		_ = t.tx.Rollback() // done already, or the connection is gone and the server rolls back
	}
	if t.undo != nil {
		t.unlimit(ctx)
	}
	if t.conn != nil {
		_ = t.conn.Close() // back to the pool; once is enough
	}
}
