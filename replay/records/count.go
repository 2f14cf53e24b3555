package records

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Count counts the rows that an operation's effect has made, by a query that takes
// the operation's value as $1; in MySQL also as ?, which is its own form.
func (d *DB) Count(ctx context.Context, query, value string) (int, error) {
	args := []any{value}
	if d.kind != "postgres" {
		numbered := strings.ReplaceAll(query, "$1", "?1")
		if numbered != query {
			query, args = d.bind(numbered, value)
		}
	}
	n, err := d.countOnly(ctx, query, args)
	if err != nil {
		return 0, fmt.Errorf("count effects: %w", err)
	}
	return n, nil
}

// readOnly are the statements around a query that must not change anything.
var readOnly = map[string]struct{ begin, end string }{
	"postgres": {"BEGIN READ ONLY", "ROLLBACK"},
	"mysql":    {"START TRANSACTION READ ONLY", "ROLLBACK"},
	"sqlite":   {"PRAGMA query_only = 1", "PRAGMA query_only = 0"},
}

// countOnly refuses a query that changes something, such as DELETE … RETURNING 1.
func (d *DB) countOnly(ctx context.Context, query string, args []any) (n int, err error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close() // back to the pool
	around := readOnly[d.kind]
	if _, err := conn.ExecContext(ctx, around.begin); err != nil {
		return 0, err
	}
	err = conn.QueryRowContext(ctx, query, args...).Scan(&n)
	_, ended := conn.ExecContext(context.WithoutCancel(ctx), around.end)
	return n, errors.Join(err, ended)
}
