// Package charges books charges, as an application has it.
package charges

import (
	"context"
	"database/sql"
	"encoding/json"
)

// Charge is what the job's message says.
type Charge struct {
	Order struct {
		ID string `json:"id"`
	} `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

// Parse reads a message.
func Parse(body []byte) (Charge, error) {
	var c Charge
	err := json.Unmarshal(body, &c)
	return c, err
}

// Execer is a database or a transaction in it.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Book writes the charge's row.
func Book(ctx context.Context, db Execer, c Charge) error {
	_, err := db.ExecContext(ctx, "INSERT INTO charges (order_id, amount_cents, currency) VALUES ($1, $2, $3)", c.Order.ID, c.AmountCents, c.Currency)
	return err
}
