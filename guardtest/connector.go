package guardtest

import (
	"context"
	"database/sql/driver"
	"sync"
)

// connector makes connections that the faults can strike.
type connector struct {
	driver.Connector
	faults *faults
	spares *spares
	open   *sync.WaitGroup
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner := c.spares.take(ctx)
	if inner == nil {
		var err error
		if inner, err = c.Connector.Connect(ctx); err != nil {
			return nil, err
		}
	}
	c.open.Add(1)
	return &conn{Conn: inner, faults: c.faults, spares: c.spares, closed: c.open.Done}, nil
}

type conn struct {
	driver.Conn
	faults *faults
	spares *spares
	closed func()
	cut    bool
	failed bool      // a statement of it: nobody knows what it has left behind
	tx     driver.Tx // the open one
}

func (c *conn) Close() error {
	defer c.closed()
	if c.IsValid() && !c.failed && c.tx == nil {
		c.spares.keep(c.Conn)
		return nil
	}
	return c.Conn.Close()
}

func (c *conn) IsValid() bool {
	v, ok := c.Conn.(driver.Validator)
	return !c.cut && (!ok || v.IsValid())
}

func (c *conn) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := c.Conn.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *conn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	inner, ok := c.Conn.(driver.ExecerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return c.exec(ctx, q, args, func() (driver.Result, error) { return inner.ExecContext(ctx, q, args) })
}

func (c *conn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	inner, ok := c.Conn.(driver.QueryerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return c.query(ctx, q, args, func() (driver.Rows, error) { return inner.QueryContext(ctx, q, args) })
}

func (c *conn) PrepareContext(ctx context.Context, q string) (s driver.Stmt, err error) {
	if p, ok := c.Conn.(driver.ConnPrepareContext); ok {
		s, err = p.PrepareContext(ctx, q)
	} else {
		s, err = c.Conn.Prepare(q)
	}
	if err != nil {
		return nil, err
	}
	return &stmt{Stmt: s, conn: c, text: q}, nil
}

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	err := c.around(ctx, begin, nil, func() (matched bool, err error) {
		if b, ok := c.Conn.(driver.ConnBeginTx); ok {
			c.tx, err = b.BeginTx(ctx, o)
		} else {
			c.tx, err = c.Conn.Begin() //nolint:staticcheck // an old driver has nothing else
		}
		return err == nil, err
	}, func() {})
	return &tx{conn: c, ctx: ctx}, err
}

type tx struct {
	conn *conn
	ctx  context.Context
}

func (t *tx) Commit() error {
	return t.conn.around(t.ctx, commit, nil, func() (bool, error) {
		err := t.conn.tx.Commit()
		t.conn.tx = nil
		return err == nil, err
	}, func() {})
}

func (t *tx) Rollback() error {
	inner := t.conn.tx
	if t.conn.tx = nil; inner == nil {
		return nil // with its connection
	}
	return inner.Rollback()
}
