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

func mysqlNumber(err error) (number int, ok bool) { return dialect.MySQLNumber(err) }

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
