package charges

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// Ledger is the application's table of charges.
type Ledger struct {
	DB      *sql.DB
	Dialect string // postgres or mysql
	insert  string
}

// Open opens the database postgres://… or mysql://….
func Open(address string) (*Ledger, error) {
	if strings.HasPrefix(address, "postgres") {
		db, err := sql.Open("pgx", address)
		return &Ledger{db, "postgres", "INSERT INTO charges (order_id, amount_cents, currency) VALUES ($1, $2, $3)"}, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mysql" {
		return nil, fmt.Errorf("DATABASE_URL: want postgres://… or mysql://…")
	}
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = u.User.Username(), "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	c.Passwd, _ = u.User.Password()
	db, err := sql.Open("mysql", c.FormatDSN())
	return &Ledger{db, "mysql", "INSERT INTO charges (order_id, amount_cents, currency) VALUES (?, ?, ?)"}, err
}

// Execer is a database or a transaction in it.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Book writes the charge's row, by the ledger's database or a transaction in it.
func (l *Ledger) Book(ctx context.Context, by Execer, c Charge) error {
	_, err := by.ExecContext(ctx, l.insert, c.Order.ID, c.AmountCents, c.Currency)
	return err
}
