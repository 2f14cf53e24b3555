package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// mysqlSession is what the connections of a pool are set to: wait and write in seconds,
// statement in milliseconds, 0 for no limit.
type mysqlSession struct {
	wait, write, statement int64
	several                bool // the server takes several statements as one
}

// What makes a guard in MySQL refuse to work.
var (
	errDirtyReads     = errors.New("this connection reads what is not committed, so an own row that is rolled back would be taken for done: set another isolation level, such as transaction_isolation (MariaDB: tx_isolation) 'READ-COMMITTED' in the DSN")
	errNoAutocommit   = errors.New("autocommit is off on this connection, so a claim would not be committed before the act: set autocommit=1, in the DSN or on the server")
	errNoKey          = errors.New("the table needs a unique key on job_type and operation_key, both VARBINARY, and no other one: a repeat would be claimed again, or two operations taken for one; twiceproof schema prints the table as it must be")
	errNoTransactions = errors.New("the table's engine has no transactions, so a claim would stay when its own row is rolled back, and the effect be missing for good: stop the workers, then ALTER TABLE … ENGINE=InnoDB")
)

// unfit are the reasons that stay however often they are asked for.
var unfit = []error{errDirtyReads, errNoAutocommit, errNoKey, errNoTransactions}

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
	var autocommit, dirty, key, transactions bool
	var s mysqlSession
	err := q.QueryRowContext(ctx, m.session.Read).Scan(&autocommit, &dirty, &key, &transactions, &s.wait, &s.write, &s.statement)
	if err == nil {
		err = q.QueryRowContext(ctx, m.session.Several).Scan(&s.several)
	}
	switch {
	case err != nil:
		return s, err
	case !autocommit:
		return s, errNoAutocommit
	case dirty:
		return s, errDirtyReads
	case !key:
		return s, errNoKey
	case !transactions:
		return s, errNoTransactions
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
	s.wait, s.write, s.statement = min(s.wait, seconds), min(s.write, seconds), min(s.statement, seconds*1000)
	return s
}

// limit sets a connection so; autocommit is off within an own row's transaction only.
func (m *mysqlRecords) limit(s mysqlSession, autocommit bool) Statement {
	p := m.statements[m.session.Limit]
	return Statement{p.SQL, p.Arguments([]any{s.wait, s.write, s.statement, autocommit})}
}

// asOne sends several statements in one round trip. The first error ends it.
func asOne(statements ...Statement) (one Statement) {
	one.SQL = "BEGIN NOT ATOMIC\n"
	for _, s := range statements {
		one.SQL += s.SQL
		one.Args = append(one.Args, s.Args...)
	}
	one.SQL += "END"
	return one
}
