package main

import (
	"context"
	"database/sql"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const table = `CREATE TABLE IF NOT EXISTS charged_orders (order_id text PRIMARY KEY, message_id text)`

// claim tells whether this delivery is the first of its order. While another
// worker has the order's row in an open transaction, the insert waits.
func claim(ctx context.Context, tx *sql.Tx, m types.Message, order message) (bool, error) {
	result, err := tx.ExecContext(ctx,
		`INSERT INTO charged_orders (order_id, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, order.Order.ID, *m.MessageId)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}
