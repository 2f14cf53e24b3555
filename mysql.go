package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
)

// mysqlRecords is what MySQL and MariaDB need beside the statements.
type mysqlRecords struct {
	statements map[string]dialect.Positional
	session    dialect.Session

	reading sync.Mutex
	found   *mysqlSession
}

func newMySQL(s dialect.Statements, table string) *mysqlRecords {
	m := &mysqlRecords{statements: map[string]dialect.Positional{}, session: dialect.LoadSession(string(MySQL), table)}
	batch := dialect.LoadBatch(string(MySQL), table)
	for _, text := range append(s.All(), m.session.Limit, batch.Claim, batch.Complete, batch.Completed) {
		m.statements[text] = dialect.NewPositional(text)
	}
	return m
}

// bind gives a statement and its arguments as the driver takes them.
func (t records) bind(statement string, args []any) (string, []any) {
	if t.mysql == nil {
		return statement, args
	}
	p, ok := t.mysql.statements[statement]
	if !ok { // one that a test has changed
		p = dialect.NewPositional(statement)
	}
	return p.SQL, p.Arguments(args)
}

// didMatch tells whether a statement did what it is for. In MySQL its insert id tells,
// since the number of rows depends on a flag of the connection: whether a row that
// stays as it was counts.
func didMatch(result sql.Result, mysql bool) (bool, error) {
	if mysql {
		id, err := result.LastInsertId()
		return id != 0, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// mysqlSession is what the connections of a pool are set to: wait and write in seconds,
// statement in milliseconds, 0 for no limit.
type mysqlSession struct{ wait, write, statement int64 }

// What makes a guard in MySQL refuse to work.
var (
	errDirtyReads   = errors.New("this connection reads what is not committed: an own row that is rolled back would be taken for done")
	errNoAutocommit = errors.New("autocommit is off on this connection: a claim would not be committed before the act")
	errNoKey        = errors.New("the table needs a unique key on job_type and operation_key, both VARBINARY, and no other one: a repeat would be claimed again, or two operations taken for one")
)

// checkSession refuses a connection on which a claim would not hold.
func (t records) checkSession(ctx context.Context) error {
	if t.mysql == nil {
		return nil
	}
	_, err := t.mysql.sessionOf(ctx, t.db)
	return err
}

// sessionOf reads it over the first connection; those of one pool are set alike.
func (m *mysqlRecords) sessionOf(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (mysqlSession, error) {
	m.reading.Lock()
	defer m.reading.Unlock()
	if m.found != nil {
		return *m.found, nil
	}
	var autocommit, dirty, key bool
	var s mysqlSession
	if err := q.QueryRowContext(ctx, m.session.Read).Scan(&autocommit, &dirty, &key, &s.wait, &s.write, &s.statement); err != nil {
		return s, err
	}
	switch {
	case !autocommit:
		return s, errNoAutocommit
	case dirty:
		return s, errDirtyReads
	case !key:
		return s, errNoKey
	}
	m.found = &s
	return s, nil
}

// within is the session that ends a transaction once the lease is over.
func (s mysqlSession) within(lease time.Duration) mysqlSession {
	seconds := max(1, int64((lease+time.Second-1)/time.Second))
	if s.statement == 0 {
		s.statement = seconds * 1000
	}
	return mysqlSession{min(s.wait, seconds), min(s.write, seconds), min(s.statement, seconds*1000)}
}

// set makes the connection so; autocommit is off within an own row's transaction only.
func (m *mysqlRecords) set(ctx context.Context, conn *sql.Conn, s mysqlSession, autocommit bool) error {
	p := m.statements[m.session.Limit]
	_, err := conn.ExecContext(ctx, p.SQL, p.Arguments([]any{s.wait, s.write, s.statement, autocommit})...)
	return err
}

// mysqlNumber is the server's number of an error. The drivers have it in a field, so
// it is read without importing one.
func mysqlNumber(err error) (number int, ok bool) {
	for ; err != nil; err = errors.Unwrap(err) {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, one := range several.Unwrap() {
				if number, ok := mysqlNumber(one); ok {
					return number, true
				}
			}
			return 0, false
		}
		v := reflect.Indirect(reflect.ValueOf(err))
		if v.Kind() != reflect.Struct {
			continue
		}
		field, ok := v.Type().FieldByName("Number")
		if !ok || field.Type.Kind() != reflect.Uint16 {
			continue
		}
		if n, err := v.FieldByIndexErr(field.Index); err == nil { // or what embeds it is nil
			return int(n.Uint()), true
		}
	}
	return 0, false
}

// 1205, 1213, 3572 and MariaDB's 1020: another transaction was in the way.
func mysqlBusy(number int) bool {
	return number == 1205 || number == 1213 || number == 1020 || number == 3572
}

// 1040, 1203: too many connections. 1047: a cluster's node without its majority.
// 1053, 1077, 1927, 3169, 4031: the server stops, or has ended the connection. 1158-1161: the
// network. 1317, 1969, 3024: the statement was ended by a person or a time limit.
func mysqlMayChange(number int) bool {
	switch number {
	case 1040, 1047, 1053, 1077, 1158, 1159, 1160, 1161, 1203, 1317, 1927, 1969, 3024, 3169, 4031:
		return true
	}
	return mysqlBusy(number)
}
