package mysqlwire_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/wire"
)

const (
	insert = "insert into t values (?, ?)"
	choose = "select id from t where id > ?"
)

// One job, with the values sent apart and put in by the driver: the same effects, and
// the same names.
func TestModes(t *testing.T) {
	for parameter, want := range map[string][]string{
		"interpolateParams=true": {
			"START TRANSACTION [START T]", insert + " [INSERT 1 T]", insert + " [INSERT 1 T]", "COMMIT [COMMIT I]",
			choose + " [SELECT 2 I]", insert + " [ERROR 1062 23000]", "Ping [OK]",
		},
		"interpolateParams=false": {
			"START TRANSACTION [START T]", "Prepare " + insert + " []", insert + " [INSERT 1 T]",
			"Prepare " + insert + " []", insert + " [INSERT 1 T]", "COMMIT [COMMIT I]",
			"Prepare " + choose + " []", choose + " [SELECT 2 I]",
			"Prepare " + insert + " []", insert + " [ERROR 1062 23000]", "Ping [OK]",
		},
	} {
		t.Run(parameter, func(t *testing.T) {
			s := start(t)
			conn := connect(t, with(t, s.proxied, parameter))
			tx, err := conn.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			execOn(t, tx, insert, 1, "a")
			execOn(t, tx, insert, 2, `it's "so" \`)
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			if n, _ := read(t, conn, choose, 0); n != 2 {
				t.Errorf("%d rows", n)
			}
			if _, err = conn.ExecContext(t.Context(), insert, 1, "again"); number(err) != 1062 {
				t.Errorf("error %v", err)
			}
			if err := conn.PingContext(t.Context()); err != nil {
				t.Error(err)
			}
			s.Want(t, want...)
			if n := s.count(t); n != 2 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

// A statement that is kept is prepared once, and goes by its SQL; another connection's
// has the same number and another name.
func TestKeptStatements(t *testing.T) {
	s := start(t)
	conn, other := connect(t, s.proxied), connect(t, s.proxied)
	stmt, err := conn.PrepareContext(t.Context(), insert)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := other.PrepareContext(t.Context(), "delete from t where id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	for id := range 2 {
		if _, err := stmt.ExecContext(t.Context(), id, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := theirs.ExecContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	_ = stmt.Close()                                                                                 //nolint:sqlclosecheck // in the middle, for what comes after it
	if _, err := conn.PrepareContext(t.Context(), "select nothing from nowhere"); number(err) == 0 { //nolint:sqlclosecheck // there is none
		t.Errorf("prepared: %v", err)
	}
	s.Want(t, "Prepare "+insert+" []", "Prepare delete from t where id = ? []",
		insert+" [INSERT 1 I]", insert+" [INSERT 1 I]", "delete from t where id = ? [DELETE 1 I]",
		"Prepare select nothing from nowhere [ERROR 1146 42S02]")
}

// What a reply can be made of.
func TestReplies(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, `CREATE PROCEDURE two() BEGIN INSERT INTO t VALUES (50, ''); SELECT id FROM t; SELECT 1 FROM t WHERE id < 0; END`)
	conn := connect(t, s.proxied)
	for _, c := range []struct{ sql, want string }{
		{"INSERT INTO t VALUES (1, 'a'), (2, NULL) RETURNING id, note", "INSERT 2 I"},
		{"SELECT NULL, id FROM t", "SELECT 2 I"},
		{"SELECT id FROM t WHERE id < 0", "SELECT 0 I"},
		{"UPDATE t SET note = 'a' WHERE id = 1", "UPDATE 0 I"},
		{"DO 1; INSERT INTO t VALUES (3, ''); SELECT 1; DELETE FROM t WHERE id = 3", "DO I; INSERT 1 I; SELECT 1 I; DELETE 1 I"},
		{"CALL two(); REPLACE INTO t VALUES (50, 'b')", "CALL 3 I; CALL 0 I; CALL 1 I; REPLACE 2 I"},
		{"INSERT INTO t VALUES (4, ''); INSERT INTO t VALUES (4, ''); INSERT INTO t VALUES (5, '')", "INSERT 1 I; ERROR 1062 23000"},
		{"BEGIN; DELETE FROM t; ROLLBACK", "BEGIN T; DELETE 4 T; ROLLBACK I"},
		{"WITH x AS (SELECT 1 AS id) SELECT * FROM x", "SELECT 1 I"},
		{"SELECT id FROM t WHERE id = 1 AND (SELECT 1 UNION SELECT 2)", "ERROR 1242 21000"},
		{"/*!40101 SET @x = 1 */", "SET I"},
		{"SHOW TABLES", "SHOW 1 I"},
		{"CREATE TEMPORARY TABLE u (id int)", "CREATE I"},
	} {
		err := readAll(t, conn, c.sql)
		if wantsError := strings.Contains(c.want, "ERROR"); wantsError != (number(err) > 0) {
			t.Errorf("%s: %v", c.sql, err)
		}
		steps := s.Steps()
		if got := strings.Join(steps, " | "); !strings.HasSuffix(got, "["+c.want+"]") || len(steps) != 1 {
			t.Errorf("%s: %s, want %s", c.sql, got, c.want)
		}
	}
}

// readAll reads every row of every result.
func readAll(t *testing.T, conn *sql.Conn, query string) error {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
		}
	}
	return rows.Err()
}

// A file of the worker is loaded, with more packets than there are numbers for; what comes
// behind it on the same connection is a step again. Killed after it, the worker has loaded it;
// killed before, it has not.
func TestLocalFile(t *testing.T) {
	const load = "LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE t"
	const rows, name = 200_000, "LOAD DATA LOCAL INFILE ? INTO TABLE t"
	long := strings.Repeat("x", 40)
	mysql.RegisterReaderHandler("rows", func() io.Reader {
		var text strings.Builder
		for i := range rows {
			fmt.Fprintf(&text, "%d\t%s\n", i, long)
		}
		return strings.NewReader(text.String())
	})
	for side, want := range map[wire.Side]int{wire.Before: 0, wire.After: rows} {
		s := start(t)
		conn := connect(t, s.proxied)
		execOn(t, conn, load)
		execOn(t, conn, "DELETE FROM t")
		s.Want(t, fmt.Sprintf("%s [LOAD %d I]", name, rows), fmt.Sprintf("DELETE FROM t [DELETE %d I]", rows))
		killed := s.gate.Arm(wire.Fault{Match: text(name), Side: side, Do: wire.Kill})
		if _, err := conn.ExecContext(t.Context(), load); err == nil {
			t.Errorf("%s: it was heard of", side)
		}
		<-killed.Fired()
		s.quiet(t)
		if n := s.count(t); n != want {
			t.Errorf("killed %s: %d rows", side, n)
		}
	}
}

// A client that may go on in clear text does so, and so does one that would compress;
// one that must not gives up.
func TestDeclined(t *testing.T) {
	s := start(t)
	execOn(t, connect(t, with(t, s.proxied, "tls=preferred&compress=true")), insert, 1, "a")
	if _, err := open(t, with(t, s.proxied, "tls=skip-verify")); err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("connected: %v", err)
	}
	if n := s.count(t); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// What does not fit in memory, or in one packet, passes whole.
func TestLarge(t *testing.T) {
	const size = 20_000_000 // more than a packet's 16 MiB and than what is kept in memory
	s := start(t)
	s.allowLarge(t)
	conn := connect(t, with(t, s.proxied, "maxAllowedPacket=0&interpolateParams=true"))
	execOn(t, conn, insert, 1, strings.Repeat("z", size))
	execOn(t, conn, insert, 2, strings.Repeat("z", 1<<24-1)) // not a whole packet's payload
	apart := connect(t, with(t, s.proxied, "maxAllowedPacket=0"))
	execOn(t, apart, insert, 3, strings.Repeat("y", size)) // as long data
	s.Want(t, "SELECT @@max_allowed_packet [SELECT 1 I]", "insert into t values (?, ? [INSERT 1 I]", "insert into t values (?, ? [INSERT 1 I]",
		"SELECT @@max_allowed_packet [SELECT 1 I]", "Prepare "+insert+" []", insert+" [INSERT 1 I]")
	for _, c := range []struct {
		sql  string
		rows int
		size int
	}{
		{"SELECT note FROM t WHERE id <> 2 ORDER BY id", 2, 2 * size},
		{"SELECT repeat('x', 1 << 24) FROM t", 3, 3 << 24},
		{"SELECT repeat('x', (1 << 24) - 10) FROM t", 3, 3 * (1<<24 - 10)},
		{"SELECT repeat('x', (1 << 24) - 5 + seq) FROM seq_0_to_5", 6, 6*(1<<24-5) + 15},
		{"SELECT repeat('x', 1000) FROM seq_1_to_20000", 20_000, size},
	} {
		if n, bytes := read(t, conn, c.sql); n != c.rows || bytes != c.size {
			t.Errorf("%s: %d rows, %d bytes", c.sql, n, bytes)
		}
	}
	if n, bytes := read(t, apart, "SELECT note FROM t WHERE id > ?", 0); n != 3 || bytes != 2*size+1<<24-1 {
		t.Errorf("in binary: %d rows, %d bytes", n, bytes)
	}
}

// allowLarge lets the server take statements of more than 16 MiB, on connections that are
// made from now on.
func (s *setup) allowLarge(t *testing.T) {
	t.Helper()
	execOn(t, s.direct, "SET GLOBAL max_allowed_packet = 64 << 20")
	t.Cleanup(func() {
		_, _ = s.direct.ExecContext(context.Background(), "SET GLOBAL max_allowed_packet = 16 << 20")
	})
}

func read(t *testing.T, conn *sql.Conn, query string, args ...any) (n, size int) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value sql.RawBytes
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		n++
		size += len(value)
	}
	if rows.Err() != nil {
		t.Errorf("%s: %v", query, rows.Err())
	}
	return n, size
}
