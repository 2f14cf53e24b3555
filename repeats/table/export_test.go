package table

import (
	"context"
	"testing"
	"time"
)

// Impatient has a database answer sooner, until the test ends.
func Impatient(t *testing.T) {
	before := reachable
	t.Cleanup(func() { reachable = before })
	reachable = 200 * time.Millisecond
}

// TryInside runs a query for one number within a table's own transaction, and then a
// statement, when one is given.
func TryInside(ctx context.Context, t Table, query, statement string) (n int64, err error) {
	s, err := t.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer s.end()
	limited, cancel := context.WithTimeout(ctx, t.Limit+5e9)
	defer cancel()
	if n, err = s.number(limited, query); err != nil || statement == "" {
		return n, t.wrong(limited, err)
	}
	_, err = s.tx.ExecContext(ctx, statement)
	return n, err
}

func (s *session) number(ctx context.Context, query string) (n int64, err error) {
	rows, err := s.query(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}
