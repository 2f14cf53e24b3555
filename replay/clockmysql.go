package replay

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/replay/records"
)

// aheadInMySQL is the time that a connection is given: from then on its clock stands
// still. That changes no case, since time passes by making records older.
var aheadInMySQL = fmt.Sprintf("UNIX_TIMESTAMP(SYSDATE(6)) + %d", int(clockAhead/time.Second))

// setMySQLAhead sets the clock of every connection that an account without the rights of
// the superuser makes from now on; the reader of the records sets its own.
func (w *world) setMySQLAhead(ctx context.Context, s *mysqlServer) (setBack func(), err error) {
	ahead, err := records.Open(string(w.Spec.Database.Kind), w.dsn+"&timestamp="+url.QueryEscape(aheadInMySQL), w.Table)
	if err != nil {
		return nil, err
	}
	_ = w.db.Close() // nothing of it is under way
	w.db = ahead
	w.history.add(judge.Event{Event: judge.EventOwnClock})
	_, err = s.db.ExecContext(ctx, "SET GLOBAL init_connect = 'SET timestamp = "+aheadInMySQL+"'")
	return func() {
		_, _ = s.db.ExecContext(context.WithoutCancel(ctx), "SET GLOBAL init_connect = ''") // or the server is gone
	}, err
}
