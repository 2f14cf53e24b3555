package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/dialect"
)

// sentAgain tells whether a statement that ended so is sent again.
func sentAgain(err error) bool {
	sent := 0
	_ = resend(context.Background(), time.Now().Add(time.Minute), func(context.Context) error {
		if sent++; sent == 1 {
			return err
		}
		return nil
	})
	return sent == 2
}

func (r *rig) wantSentAgain(name string, err error, again, inTheWay bool) {
	r.t.Helper()
	if err == nil {
		r.t.Errorf("%s: no error", name)
		return
	}
	if got := sentAgain(err); got != again {
		r.t.Errorf("%s: sent again: %v (%v)", name, got, err)
	}
	if got := dialect.Busy(err); got != inTheWay {
		r.t.Errorf("%s: another transaction was in the way: %v (%v)", name, got, err)
	}
}

// on runs statements over one connection and gives the last one's error.
func on(t *testing.T, conn *sql.Conn, statements ...string) (err error) {
	t.Helper()
	for i, s := range statements {
		if _, err = conn.ExecContext(context.Background(), s); err != nil && i < len(statements)-1 {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return err
}

func (r *rig) conn() *sql.Conn {
	r.t.Helper()
	conn, err := r.plain.Conn(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (r *rig) wantCode(name string, err error, want string) error {
	r.t.Helper()
	got := fmt.Sprint(err)
	var pg *pgconn.PgError
	var lite interface{ Code() int }
	if errors.As(err, &pg) {
		got = pg.Code
	} else if errors.As(err, &lite) {
		got = fmt.Sprint(lite.Code())
	} else if n, ok := dialect.MySQLNumber(err); ok {
		got = fmt.Sprint(n)
	}
	if got != want {
		r.t.Errorf("%s: %s, want %s", name, got, want)
	}
	return err
}

// twoRows is a table with the rows 1 and 2.
func (r *rig) twoRows() (table string) {
	r.t.Helper()
	table = r.table + "_two"
	r.exec("CREATE TABLE " + table + " (k INTEGER PRIMARY KEY, n INTEGER)")
	r.exec("INSERT INTO " + table + " VALUES (1, 0), (2, 0)")
	r.t.Cleanup(func() { r.exec("DROP TABLE " + table) })
	return table
}

// deadlocked gives the error of the transaction that the server ended.
func (r *rig) deadlocked(table string) error {
	r.t.Helper()
	a, b := r.conn(), r.conn()
	bump := "UPDATE " + table + " SET n = n + 1 WHERE k = "
	if err := errors.Join(on(r.t.(*testing.T), a, "BEGIN", bump+"1"), on(r.t.(*testing.T), b, "BEGIN", bump+"2")); err != nil {
		r.t.Fatal(err)
	}
	ends := make(chan error, 2)
	for conn, other := range map[*sql.Conn]string{a: "2", b: "1"} {
		go func() {
			_, err := conn.ExecContext(context.Background(), bump+other)
			_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
			ends <- err
		}()
	}
	return errors.Join(<-ends, <-ends).(interface{ Unwrap() []error }).Unwrap()[0]
}

func TestMySQLErrors(t *testing.T) {
	r := mysqlRig(t, func(*mysql.Config) {})
	two := r.twoRows()
	busyWith := func(number string, err error) { r.wantSentAgain(number, r.wantCode(number, err, number), true, true) }
	again := func(number string, err error) { r.wantSentAgain(number, r.wantCode(number, err, number), true, false) }
	refused := func(number string, err error) { r.wantSentAgain(number, r.wantCode(number, err, number), false, false) }

	busyWith("1213", r.deadlocked(two))

	a, b := r.conn(), r.conn()
	if err := on(t, a, "BEGIN", "UPDATE "+two+" SET n = 9 WHERE k = 1"); err != nil {
		t.Fatal(err)
	}
	busyWith("1205", on(t, b, "SET STATEMENT innodb_lock_wait_timeout = 0 FOR UPDATE "+two+" SET n = 8 WHERE k = 1"))
	_ = on(t, a, "ROLLBACK")

	if err := on(t, a, "SET innodb_snapshot_isolation = 1", "BEGIN", "SELECT * FROM "+two, "DO 0"); err != nil {
		t.Fatal(err)
	}
	r.exec("UPDATE " + two + " SET n = 7 WHERE k = 1")
	busyWith("1020", on(t, a, "UPDATE "+two+" SET n = 6 WHERE k = 1"))
	_ = on(t, a, "ROLLBACK")

	const long = "SELECT SUM(a.seq * b.seq) FROM seq_1_to_100000 AS a, seq_1_to_100000 AS b"
	again("1969", on(t, a, "SET STATEMENT max_statement_time = 0.01 FOR "+long))
	again("1317", r.whileRunning(b, long, "KILL QUERY "))
	killed := r.whileRunning(r.conn(), long, "KILL ")
	if n, ok := dialect.MySQLNumber(killed); ok && n != 1927 && n != 1317 {
		t.Errorf("KILL: %v", killed)
	}
	r.wantSentAgain("KILL", killed, true, false)

	refused("1792", on(t, a, "SET SESSION TRANSACTION READ ONLY", "BEGIN", "UPDATE "+two+" SET n = 5 WHERE k = 1"))
	refused("1146", on(t, b, "SELECT * FROM "+two+"_gone"))
	refused("1062", on(t, b, "INSERT INTO "+two+" VALUES (1, 1)"))
}

// whileRunning ends a statement, or its connection, from another one.
func (r *rig) whileRunning(conn *sql.Conn, statement, how string) error {
	r.t.Helper()
	var id string
	if err := conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(context.Background(), statement)
		ended <- err
	}()
	for n := 0; n == 0; {
		if err := r.plain.QueryRowContext(context.Background(), "SELECT count(*) FROM information_schema.processlist WHERE id = ? AND info = ?", id, statement).Scan(&n); err != nil {
			r.t.Fatal(err)
		}
	}
	r.exec(how + id)
	return <-ended
}

func TestPostgresErrors(t *testing.T) {
	r := newRig(t, databaseOf(Postgres))
	two := r.twoRows()
	busyWith := func(code string, err error) { r.wantSentAgain(code, r.wantCode(code, err, code), true, true) }
	again := func(code string, err error) { r.wantSentAgain(code, r.wantCode(code, err, code), true, false) }
	refused := func(code string, err error) { r.wantSentAgain(code, r.wantCode(code, err, code), false, false) }

	busyWith("40P01", r.deadlocked(two))
	a, b := r.conn(), r.conn()
	if err := on(t, a, "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM "+two); err != nil {
		t.Fatal(err)
	}
	r.exec("UPDATE " + two + " SET n = 7 WHERE k = 1")
	busyWith("40001", on(t, a, "UPDATE "+two+" SET n = 6 WHERE k = 1"))
	if err := on(t, a, "ROLLBACK", "BEGIN", "UPDATE "+two+" SET n = 9 WHERE k = 1"); err != nil {
		t.Fatal(err)
	}
	busyWith("55P03", on(t, b, "SELECT * FROM "+two+" FOR UPDATE NOWAIT"))
	busyWith("55P03", on(t, b, "SET lock_timeout = 10", "UPDATE "+two+" SET n = 8 WHERE k = 1"))
	again("57014", on(t, b, "SET statement_timeout = 10", "SELECT pg_sleep(60)"))
	refused("25006", on(t, a, "ROLLBACK", "BEGIN READ ONLY", "UPDATE "+two+" SET n = 8 WHERE k = 1"))
	refused("42P01", on(t, b, "SELECT * FROM "+two+"_gone"))
	refused("23505", on(t, b, "INSERT INTO "+two+" VALUES (1, 1)"))
	again("57P01", on(t, a, "ROLLBACK", "SELECT pg_terminate_backend(pg_backend_pid())"))

	r.exec("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
	t.Cleanup(func() { r.exec("DROP ROLE crowded") })
	crowded, err := sql.Open("pgx", strings.Replace(r.dsn, "postgres@", "crowded@", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = crowded.Close() }()
	again("53300", crowded.PingContext(context.Background()))
}

func TestSQLiteErrors(t *testing.T) {
	r := impatient(newRig(t, databaseOf(SQLite)))
	two := r.twoRows()
	a, b := r.conn(), r.conn()
	write := "UPDATE " + two + " SET n = n + 1 WHERE k = 1"
	if err := on(t, a, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	r.wantSentAgain("5", r.wantCode("5", on(t, b, write), "5"), true, true)
	if err := on(t, a, "ROLLBACK", "BEGIN", "SELECT * FROM "+two); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := a.QueryRowContext(context.Background(), "SELECT n FROM "+two+" WHERE k = 1").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if err := on(t, b, write); err != nil {
		t.Fatal(err)
	}
	r.wantSentAgain("517", r.wantCode("517", on(t, a, write), "517"), true, true)
	_ = on(t, a, "ROLLBACK")
	r.wantSentAgain("8", r.wantCode("8", on(t, b, "PRAGMA query_only = 1", write), "8"), false, false)
}

// The numbers that no test here provokes, and some that are not to be sent again.
func TestMySQLErrorNumbers(t *testing.T) {
	inTheWay := []uint16{1020, 1205, 1213, 3572}
	again := []uint16{1040, 1047, 1053, 1077, 1158, 1159, 1160, 1161, 1203, 1317, 1927, 1969, 3024, 3169, 4031}
	wanted := map[uint16][2]bool{}
	for _, n := range inTheWay {
		wanted[n] = [2]bool{true, true}
	}
	for _, n := range again {
		wanted[n] = [2]bool{true, false}
	}
	for n := range uint16(5000) {
		err := fmt.Errorf("claim: %w", &mysql.MySQLError{Number: n, Message: "x"})
		if got := [2]bool{mayChange(err), dialect.Busy(err)}; got != wanted[n] {
			t.Errorf("%d: sent again, in the way: %v, want %v", n, got, wanted[n])
		}
	}
}

type (
	byValue  struct{ Number uint16 }
	ofString struct{ Number string }
	holder   struct{ *byValue }
)

func (byValue) Error() string  { return "by value" }
func (ofString) Error() string { return "another driver's" }
func (holder) Error() string   { return "a holder" }

// The number is found however the driver's error is wrapped.
func TestMySQLNumber(t *testing.T) {
	driver := &mysql.MySQLError{Number: 1290}
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"a pointer":           {driver, 1290},
		"wrapped":             {fmt.Errorf("a: %w", fmt.Errorf("b: %w", driver)), 1290},
		"a value":             {byValue{1205}, 1205},
		"of another kind":     {ofString{"1205"}, 0},
		"none":                {errCut, 0},
		"a nil pointer":       {(*mysql.MySQLError)(nil), 0},
		"joined":              {errors.Join(errCut, driver), 1290},
		"wrapped twice":       {fmt.Errorf("%w: %w", errCut, driver), 1290},
		"an empty embedding":  {holder{}, 0},
		"within an embedding": {holder{&byValue{1213}}, 1213},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := dialect.MySQLNumber(c.err); got != c.want || ok != (c.want != 0) {
				t.Errorf("%d, %v, want %d", got, ok, c.want)
			}
		})
	}
}
