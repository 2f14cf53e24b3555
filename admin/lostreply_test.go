package admin

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"
)

var errCut = errors.New("the connection was cut")

// cutter is a connector whose next write fails, before or after it was done; after it
// also the reads may fail.
type cutter struct {
	driver         driver.Driver
	dsn            string
	before, after  bool
	readsFailAfter bool
}

func (c *cutter) Driver() driver.Driver { return c.driver }

func (c *cutter) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	return cutConn{conn, c}, err
}

type cutConn struct {
	driver.Conn
	c *cutter
}

func (c cutConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.c.readsFailAfter && !c.c.after {
		return nil, errCut
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c cutConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.c.before {
		c.c.before = false
		return nil, errCut
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	if c.c.after {
		c.c.after = false
		return nil, errCut
	}
	return result, err
}

// When the reply is lost, the record tells whether the decision is ours; when it cannot
// be read, nobody can tell.
func TestResolveLostReply(t *testing.T) {
	for name, c := range map[string]struct {
		cut     cutter
		applied bool
		unknown bool
		state   string
	}{
		"whole":               {cutter{}, true, false, "completed"},
		"before the write":    {cutter{before: true}, false, false, "held"},
		"after the write":     {cutter{after: true}, true, false, "completed"},
		"and nothing answers": {cutter{after: true, readsFailAfter: true}, false, true, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, databases[2])
			r.insert(r.claimed("k", r.held("max_acts", time.Hour)))
			d := r.decision("k", Done)
			c.cut.driver, c.cut.dsn = r.db.Driver(), r.dsn
			db := sql.OpenDB(&c.cut)
			defer db.Close()
			res, err := openRecords(t, db, r.d).Resolve(t.Context(), d)
			if res.Applied != c.applied || errors.Is(err, ErrUnknown) != c.unknown || (err == nil) != c.applied {
				t.Errorf("%+v, %v", res, err)
			}
			r.want("k", map[string]string{"state": c.state})
		})
	}
}
