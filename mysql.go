package twiceproof

import (
	"database/sql"
	"sync"

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
