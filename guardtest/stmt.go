package guardtest

import (
	"context"
	"database/sql/driver"
	"errors"
)

// stmt is a statement that the driver prepares first.
type stmt struct {
	driver.Stmt
	conn *conn
	text string
}

func (s *stmt) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := s.Stmt.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return s.conn.CheckNamedValue(v)
}

var errOldDriver = errors.New("the driver's statements take no context")

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	inner, ok := s.Stmt.(driver.StmtExecContext)
	if !ok {
		return nil, errOldDriver
	}
	return s.conn.exec(ctx, s.text, args, func() (driver.Result, error) { return inner.ExecContext(ctx, args) })
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	inner, ok := s.Stmt.(driver.StmtQueryContext)
	if !ok {
		return nil, errOldDriver
	}
	return s.conn.query(ctx, s.text, args, func() (driver.Rows, error) { return inner.QueryContext(ctx, args) })
}
