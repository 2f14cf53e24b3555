package records

import (
	"database/sql"
	"fmt"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/twiceproof/twiceproof/dialect"
)

// busyTimeout is how long SQLite waits for the file's lock, in milliseconds.
const busyTimeout = 10000

func open(kind, dsn string) (*sql.DB, error) {
	switch kind {
	case "sqlite":
		return sql.Open("sqlite", fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)&_txlock=immediate", dsn, busyTimeout))
	case "mysql":
		return openMySQL(dsn)
	}
	return sql.Open("pgx", dsn)
}

// openMySQL: a schema file has several statements.
func openMySQL(dsn string) (*sql.DB, error) {
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	config.MultiStatements, config.InterpolateParams = true, true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	if _, set := config.Params["timestamp"]; set {
		db.SetMaxIdleConns(-1) // a clock that is set stands still from then on
	}
	return db, nil
}

// bind gives a statement with numbered parameters as the driver takes it.
func (d *DB) bind(statement string, args ...any) (string, []any) {
	if d.kind != "mysql" {
		return statement, args
	}
	p := dialect.NewPositional(statement)
	return p.SQL, p.Arguments(args)
}
