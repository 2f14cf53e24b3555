package main

import (
	"context"
	"database/sql"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/hinted"
)

// reachable bounds the first word with a database or a queue.
const reachable = 15 * time.Second

const dsnHelp = "the database that keeps the records, as " + addresses + " (default: the variable DATABASE_URL)"

// openRecords opens the database and sees that the table can be read.
func openRecords(ctx context.Context, dsn, table string) (*sql.DB, twiceproof.Dialect, error) {
	db, d, err := openDSN(dsn)
	if err != nil {
		return nil, "", err
	}
	if _, err := dialect.Load(string(d), table); err != nil { // no plain name
		_ = db.Close()
		return nil, "", noTable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	if _, err = db.ExecContext(ctx, "SELECT requeues, requeued_at FROM "+table+" WHERE 1 = 0"); err != nil {
		_ = db.Close()
		return nil, "", &hinted.Error{What: "the records cannot be read: " + err.Error(), Hint: unlessRefused(err, "check --dsn, and that the database has the table "+table)}
	}
	return db, d, nil
}

// openDSN never says what the address was: it may hold a password.
func openDSN(dsn string) (*sql.DB, twiceproof.Dialect, error) {
	switch kind, address := addressOf(dsn); kind {
	case "sqlite":
		db, err := openSQLite(address)
		return db, twiceproof.SQLite, err
	case "postgres":
		db, err := sql.Open("pgx", address)
		return db, twiceproof.Postgres, err
	case "mysql":
		db, err := openMySQL(address)
		return db, twiceproof.MySQL, err
	}
	return nil, "", unknownAddress(dsn)
}

func openMySQL(dsn string) (*sql.DB, error) {
	c, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, &hinted.Error{What: "the database's address is not usable", Hint: "check its parameter tls: true, skip-verify or preferred"}
	}
	return sql.OpenDB(connector), nil
}

// mysqlConfig reads an address as the other languages' clients write it.
func mysqlConfig(dsn string) (*mysql.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil { // its error would show the address
		return nil, &hinted.Error{What: "the database's address cannot be read", Hint: "write --dsn mysql://user:password@host:port/database, with % and two hex digits for special characters"}
	}
	c := mysql.NewConfig()
	c.User, c.DBName = u.User.Username(), strings.TrimPrefix(u.Path, "/")
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr = "tcp", hostPort(u)
	c.Timeout, c.InterpolateParams, c.Logger = reachable, true, &mysql.NopLogger{} // its errors come back, too
	for name, values := range u.Query() {
		switch name {
		case "tls":
			c.TLSConfig = values[0]
		case "socket", "unix_socket":
			c.Net, c.Addr = "unix", values[0]
		case "charset", "collation", "timeout", "connect_timeout", "read_timeout", "write_timeout", "parseTime", "loc":
			// They change nothing of what is asked here.
		default: // it may be about encryption, so it is not passed over
			return nil, &hinted.Error{What: "the database's address has a parameter that is not known: " + name, Hint: "take it away; tls=true asks for encryption, socket=/path for a local socket"}
		}
	}
	return c, nil
}

func hostPort(u *url.URL) string {
	host, port := u.Hostname(), u.Port()
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = "3306"
	}
	return net.JoinHostPort(host, port)
}
