package mysqlwire_test

import (
	"context"
	"database/sql"
	"io"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// The control for Quiet: a worker dies without a proxy, and the server's own end of the
// socket is taken for the end of its work. Its row is still locked then. (The many rows
// make the rollback long enough to be seen in one of these runs.)
func TestSocketsEndIsTooEarly(t *testing.T) {
	s := start(t)
	for range 20 {
		conn, dialled := dial(t, s.dsn)
		execOn(t, conn, "BEGIN")
		execOn(t, conn, "INSERT INTO t SELECT seq, REPEAT('a', 100) FROM seq_1_to_20000")
		if err := dialled.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, dialled); err != nil { // until the server's end
			t.Fatal(err)
		}
		_, err := s.direct.ExecContext(t.Context(), "SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT INTO t VALUES (1, 'b')")
		switch number(err) {
		case lockWaitTimeout:
			return
		case 0:
			execOn(t, s.direct, "DELETE FROM t WHERE id = 1")
		default:
			t.Fatal(err)
		}
	}
	t.Error("the rollback was over each time")
}

// The same through the proxy, counted after Quiet: never too early.
func TestQuietIsNotTooEarly(t *testing.T) {
	s := start(t)
	for range 5 {
		conn := connect(t, s.proxied)
		execOn(t, conn, "BEGIN")
		execOn(t, conn, "INSERT INTO t SELECT seq, REPEAT('a', 100) FROM seq_1_to_20000")
		s.gate.Shut()
		s.quiet(t)
		execOn(t, s.direct, "SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT INTO t VALUES (1, 'b')")
		execOn(t, s.direct, "DELETE FROM t")
		s.listen(t)
	}
}

const lockWaitTimeout = 1205

// dial is a connection, and the socket under it.
func dial(t *testing.T, dsn string) (*sql.Conn, *net.TCPConn) {
	t.Helper()
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	var dialled *net.TCPConn
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			dialled = conn.(*net.TCPConn)
		}
		return conn, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn, dialled
}
