package records

import (
	"database/sql"
	"fmt"
	"strconv"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/twiceproof/twiceproof/dialect"
)

// busyTimeout is how long SQLite waits for the file's lock, in milliseconds. A server waits
// as long for a lock, unless the address says otherwise.
const busyTimeout = 10000

func open(kind, dsn string) (*sql.DB, error) {
	switch kind {
	case "sqlite":
		return sql.Open("sqlite", fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)&_txlock=immediate", dsn, busyTimeout))
	case "mysql":
		return openMySQL(dsn)
	}
	return openPostgres(dsn)
}

// openPostgres: by itself PostgreSQL waits for a lock without end, as for a table that a
// worker has locked.
func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if _, set := config.RuntimeParams["lock_timeout"]; !set {
		config.RuntimeParams["lock_timeout"] = strconv.Itoa(busyTimeout)
	}
	return stdlib.OpenDB(*config), nil
}

// openMySQL: a schema file has several statements. For a locked table it waits a day by itself.
func openMySQL(dsn string) (*sql.DB, error) {
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	config.MultiStatements, config.InterpolateParams = true, true
	if config.Params == nil {
		config.Params = map[string]string{}
	}
	for _, name := range []string{"lock_wait_timeout", "innodb_lock_wait_timeout"} {
		if _, set := config.Params[name]; !set {
			config.Params[name] = strconv.Itoa(busyTimeout / 1000)
		}
	}
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
