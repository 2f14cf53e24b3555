package mysqlwire

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
)

// askAgain is how long to wait before the server is asked once more.
const askAgain = time.Millisecond

// ending is a connection to the server whose end comes when the server has rolled its
// transaction back. The server closes the socket first, and then rolls back and lets
// locks go: who counts, or takes the same lock, when the socket ends, may be too early.
type ending struct {
	net.Conn // alone: a WriteTo of *net.TCPConn would pass Read by
	tcp      *net.TCPConn
	db       *sql.DB
	id       atomic.Uint32 // known once the server has greeted
	closed   atomic.Bool   // by the proxy: it reads on for the end alone
	ctx      context.Context
	cancel   context.CancelFunc
	asked    sync.Once
}

func newEnding(conn *net.TCPConn, db *sql.DB) *ending {
	ctx, cancel := context.WithCancel(context.Background())
	return &ending{Conn: conn, tcp: conn, db: db, ctx: ctx, cancel: cancel}
}

func (e *ending) CloseWrite() error {
	e.closed.Store(true)
	return e.tcp.CloseWrite()
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	if err != nil && e.closed.Load() && !errors.Is(err, os.ErrDeadlineExceeded) {
		e.asked.Do(e.await)
	}
	return n, err
}

// Close ends the wait too.
func (e *ending) Close() error {
	e.cancel()
	return e.Conn.Close()
}

// await asks until the server does not know the connection any more. The process list
// would not do: it leaves out whose socket is closed.
func (e *ending) await() {
	id := e.id.Load()
	if id == 0 {
		return
	}
	for e.ctx.Err() == nil && !e.isGone(id) {
		select {
		case <-e.ctx.Done():
		case <-time.After(askAgain):
		}
	}
}

// questions are refused of a connection that ends, and do nothing: MariaDB's, and that of
// MySQL, which does not know the first.
var questions = []string{"SHOW EXPLAIN FOR %d", "EXPLAIN FOR CONNECTION %d"}

// isGone says that the server does not know the connection, or is not there.
func (e *ending) isGone(id uint32) bool {
	const syntax, unknownThread = 1064, 1094
	for _, q := range questions {
		_, err := e.db.ExecContext(e.ctx, fmt.Sprintf(q, id))
		var answer *mysql.MySQLError
		if !errors.As(err, &answer) {
			return errors.Is(err, syscall.ECONNREFUSED)
		}
		if answer.Number != syntax {
			return answer.Number == unknownThread
		}
	}
	return false
}
