package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/twiceproof/twiceproof"
)

// openDatabase opens sqlite:///path, postgres://… or mysql://….
func openDatabase(address string) (*sql.DB, twiceproof.Dialect, error) {
	if path, ok := strings.CutPrefix(address, "sqlite://"); ok {
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
		return db, twiceproof.SQLite, err
	}
	if strings.HasPrefix(address, "postgres") {
		db, err := sql.Open("pgx", address)
		return db, twiceproof.Postgres, err
	}
	if strings.HasPrefix(address, "mysql") {
		db, err := openMySQL(address)
		return db, twiceproof.MySQL, err
	}
	return nil, "", fmt.Errorf("DATABASE_URL: want sqlite:///path, postgres://… or mysql://…")
}

func openMySQL(address string) (*sql.DB, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = u.User.Username(), "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	c.Passwd, _ = u.User.Password()
	return sql.Open("mysql", c.FormatDSN())
}
