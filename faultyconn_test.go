package twiceproof

import (
	"context"
	"database/sql/driver"
	"errors"
)

type faultyConnector struct {
	driver driver.Driver
	dsn    string
	faults *faults
}

func (c faultyConnector) Driver() driver.Driver { return c.driver }

func (c faultyConnector) Connect(context.Context) (driver.Conn, error) {
	if conn := c.faults.spare(); conn != nil {
		return conn, nil
	}
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &faultyConn{Conn: conn, faults: c.faults}, nil
}

// Close keeps the real connection of one that was cut: it is whole, and a server
// takes long to make a new one.
func (c *faultyConn) Close() error {
	if c.faults.keep(c) {
		return nil
	}
	return c.Conn.Close()
}

func (f *faults) keep(c *faultyConn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !c.broken || f.closing || f.closes {
		return false
	}
	f.spares = append(f.spares, &faultyConn{Conn: c.Conn, faults: f})
	return true
}

func (f *faults) spare() driver.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := len(f.spares); n > 0; n = len(f.spares) {
		conn := f.spares[n-1]
		f.spares = f.spares[:n-1]
		if conn.ResetSession(context.Background()) == nil {
			return conn
		}
		_ = conn.Conn.Close() // its own driver has given it up
	}
	return nil
}

func (f *faults) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closing = true
	for _, c := range f.spares {
		_ = c.Conn.Close()
	}
}

type faultyConn struct {
	driver.Conn
	faults *faults
	broken bool
}

func (c *faultyConn) IsValid() bool { return !c.broken }

func (c *faultyConn) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

func (c *faultyConn) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := c.Conn.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *faultyConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (result driver.Result, err error) {
	err = c.around(ctx, q, func() (err error) {
		result, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, q, args)
		return err
	}, func() {})
	return result, err
}

func (c *faultyConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.around(ctx, q, func() (err error) {
		rows, err = c.Conn.(driver.QueryerContext).QueryContext(ctx, q, args)
		return err
	}, func() { _ = rows.Close() }) // reads to the end: the statement was executed
	return rows, err
}

func (c *faultyConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx := &faultyTx{conn: c, ctx: ctx}
	err := c.around(ctx, "BEGIN", func() (err error) {
		tx.Tx, err = c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
		return err
	}, func() { _ = tx.Tx.Rollback() })
	return tx, err
}

type faultyTx struct {
	driver.Tx
	conn *faultyConn
	ctx  context.Context
}

func (t *faultyTx) Commit() error {
	sent := false
	err := t.conn.around(t.ctx, "COMMIT", func() error { sent = true; return t.Tx.Commit() }, func() {})
	if !sent {
		_ = t.Tx.Rollback() // as the server does when the connection is gone
	}
	return err
}

// around runs one statement between its two strikes.
func (c *faultyConn) around(ctx context.Context, statement string, run func() error, undo func()) error {
	if c.broken {
		return driver.ErrBadConn
	}
	verb, nth := c.faults.sending(statement)
	if err := c.faults.at(verb, nth, false); err != nil {
		return c.cut(ctx, err)
	}
	if err := run(); err != nil {
		c.faults.refused(verb, err)
		return err
	}
	if err := c.faults.at(verb, nth, true); err != nil {
		undo()
		return c.cut(ctx, err)
	}
	return nil
}

// errSilent is a peer that says nothing more: the statement waits for its
// context.
var errSilent = errors.New("silent")

func (c *faultyConn) cut(ctx context.Context, err error) error {
	c.broken = true
	if errors.Is(err, errSilent) {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}
