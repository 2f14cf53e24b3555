package main

import (
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/twiceproof/twiceproof"
)

// openDatabase opens sqlite:///path or postgres://….
func openDatabase(url string) (*sql.DB, twiceproof.Dialect, error) {
	if path, ok := strings.CutPrefix(url, "sqlite://"); ok {
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
		return db, twiceproof.SQLite, err
	}
	if strings.HasPrefix(url, "postgres") {
		db, err := sql.Open("pgx", url)
		return db, twiceproof.Postgres, err
	}
	return nil, "", fmt.Errorf("DATABASE_URL: want sqlite:///path or postgres://…")
}
