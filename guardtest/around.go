package guardtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/twiceproof/twiceproof"
)

// around sends one statement, unless a fault comes in between. drop ends what it
// answered when nobody is to hear of it.
func (c *conn) around(ctx context.Context, statement string, args []driver.NamedValue, run func() (matched bool, err error), drop func()) error {
	if c.cut {
		return driver.ErrBadConn
	}
	v := c.faults.of(statement)
	struck := c.faults.next(v.name)
	switch struck {
	case loseRequest:
		c.faults.sent(v.name)
		return c.lose()
	case refused:
		c.faults.sent(v.name)
		return c.refuse(ctx)
	case paused:
		if err := c.faults.pause(ctx, v.name); err != nil {
			return err
		}
	}
	matched, err := run()
	if errors.Is(err, driver.ErrSkip) {
		return err // not sent yet: it is prepared first
	}
	c.faults.sent(v.name)
	if err != nil {
		c.failed = true
		return err
	}
	c.faults.tell(v, args, matched)
	if struck == loseReply {
		drop()
		return c.lose()
	}
	return nil
}

// lose cuts the connection. What the server does some time later, to roll back, is
// done at once, so that a scenario needs no wait for it.
func (c *conn) lose() error {
	c.cut = true
	if c.tx != nil {
		_ = c.tx.Rollback()
		c.tx = nil
	}
	return errCut
}

// refuse lets the database itself say no, to another statement.
func (c *conn) refuse(ctx context.Context) error {
	c.failed = true
	const statement = "SELECT guardtest_wants_a_refusal"
	e, ok := c.Conn.(driver.ExecerContext)
	if !ok {
		return errors.New("the driver cannot send a statement without preparing it")
	}
	if _, err := e.ExecContext(ctx, statement, nil); err != nil {
		return err
	}
	return errors.New("the database did not refuse: " + statement)
}

func (c *conn) exec(ctx context.Context, q string, args []driver.NamedValue, run func() (driver.Result, error)) (result driver.Result, err error) {
	err = c.around(ctx, q, args, func() (bool, error) {
		if result, err = run(); err != nil {
			return false, err
		}
		return c.faults.matched(result), nil
	}, func() {})
	return result, err
}

// matched tells whether a statement did what it is for; in MySQL the insert id says so.
func (f *faults) matched(result driver.Result) bool {
	if f.dialect == twiceproof.MySQL {
		id, err := result.LastInsertId()
		return err == nil && id != 0
	}
	n, err := result.RowsAffected()
	return err == nil && n == 1
}

func (c *conn) query(ctx context.Context, q string, args []driver.NamedValue, run func() (driver.Rows, error)) (driver.Rows, error) {
	var answer *rows
	err := c.around(ctx, q, args, func() (bool, error) {
		inner, err := run()
		if err != nil {
			return false, err
		}
		if answer, err = peek(inner); err != nil {
			_ = inner.Close()
		}
		return err == nil && answer.is(c.faults.of(q), args), err
	}, func() { _ = answer.Close() })
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// rows are an answer whose first row has been read: some drivers execute the
// statement only then.
type rows struct {
	driver.Rows
	first []driver.Value
	empty bool
}

func peek(inner driver.Rows) (*rows, error) {
	r := &rows{Rows: inner, first: make([]driver.Value, len(inner.Columns()))}
	err := inner.Next(r.first)
	if errors.Is(err, io.EOF) {
		r.first, r.empty, err = nil, true, nil
	}
	return r, err
}

// is tells whether there is a record, and of a claim, whether it is the claimer's own.
func (r *rows) is(v verb, args []driver.NamedValue) bool {
	if v.first > 0 { // sent with others
		return textOf(r.first[0]) == "1"
	}
	return !r.empty && (v.name != "claim" || textOf(r.first[1]) == textOf(v.numbered(args)[2]))
}

func textOf(value any) string {
	if b, ok := value.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(value)
}

func (r *rows) Next(dest []driver.Value) error {
	if r.first == nil {
		if r.empty {
			return io.EOF
		}
		return r.Rows.Next(dest)
	}
	copy(dest, r.first)
	r.first = nil
	return nil
}
