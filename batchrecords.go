package twiceproof

import (
	"context"
	"database/sql"
	"encoding/json"
)

// claimAll claims what has no record and answers the records; one that cannot be
// seen yet is missing. All is committed together or nothing is.
func (t records) claimAll(ctx context.Context, all []claimed) (map[string]record, error) {
	if t.batch.Claim == "" {
		return t.claimInOneTransaction(ctx, all)
	}
	if err := t.checkSession(ctx); err != nil {
		return nil, err
	}
	type wanted struct {
		Key       string  `json:"operation_key"`
		Token     string  `json:"claim_token"`
		Print     []byte  `json:"fingerprint"`
		Fields    *string `json:"fingerprint_fields"`
		Reference string  `json:"reference"`
		Message   []byte  `json:"message"`
	}
	list := make([]wanted, len(all))
	for i, c := range all {
		list[i] = wanted{c.key, c.token, c.print.Sum, nil, c.reference, c.message}
		if c.print.Fields != "" {
			list[i].Fields = &all[i].print.Fields
		}
	}
	seen := map[string]record{}
	err := t.answers(ctx, list, func(rows *sql.Rows) error {
		var key string
		r, err := scanRecord(keyed{rows, &key})
		seen[key] = r
		return err
	}, t.batch.Claim, t.job.Type, t.job.StoredLease().Milliseconds(), t.worker, string(t.job.Stale.Policy))
	return seen, err
}

// keyed is a row with the operation key before the record's columns.
type keyed struct {
	*sql.Rows
	key *string
}

func (k keyed) Scan(dest ...any) error { return k.Rows.Scan(append([]any{k.key}, dest...)...) }

// answers sends one statement whose last argument is a list.
func (t records) answers(ctx context.Context, list any, each func(*sql.Rows) error, statement string, args ...any) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	statement, args = t.bind(statement, append(args, string(text)))
	rows, err := t.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// claimInOneTransaction reads first, as claim does: a batch of repeats takes no lock.
func (t records) claimInOneTransaction(ctx context.Context, all []claimed) (map[string]record, error) {
	conn, err := t.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close() // back to the pool
	seen, absent, err := t.readAll(ctx, conn, all)
	if err != nil || len(absent) == 0 {
		return seen, err
	}
	return seen, t.together(ctx, conn, t.sql.Claim, len(absent), func(i int) []any {
		return t.claimArgs(absent[i])
	}, func(i int) { seen[absent[i].key] = t.inserted(absent[i]) })
}

func (t records) readAll(ctx context.Context, conn *sql.Conn, all []claimed) (seen map[string]record, absent []claimed, err error) {
	text, _ := t.bind(t.sql.Read, []any{"", ""})
	read, err := conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	defer read.Close()
	seen = map[string]record{}
	for _, c := range all {
		_, args := t.bind(t.sql.Read, []any{t.job.Type, c.key})
		r, ok, err := found(read.QueryRowContext(ctx, args...))
		if err != nil {
			return nil, nil, err
		}
		if ok {
			seen[c.key] = r
		} else {
			absent = append(absent, c)
		}
	}
	return seen, absent, nil
}

// finished is one operation of ours whose effect is there.
type finished struct {
	claimed
	result []byte
}

// completeAll tells which it completed. All is committed together or nothing is.
func (t records) completeAll(ctx context.Context, all []finished, completion string) (map[string]bool, error) {
	done := map[string]bool{}
	if t.batch.Complete == "" {
		conn, err := t.db.Conn(ctx)
		if err != nil {
			return nil, err
		}
		defer conn.Close() // back to the pool
		return done, t.together(ctx, conn, t.sql.Complete, len(all), func(i int) []any {
			f := all[i]
			return []any{t.job.Type, f.key, f.token, completion, blob(f.result)}
		}, func(i int) { done[all[i].key] = true })
	}
	type mine struct {
		Key    string `json:"operation_key"`
		Token  string `json:"claim_token"`
		Result []byte `json:"result"`
	}
	list := make([]mine, len(all))
	for i, f := range all {
		list[i] = mine{f.key, f.token, f.result}
	}
	for _, statement := range []string{t.batch.Complete, t.batch.Completed} {
		if statement == "" {
			continue
		}
		if err := t.answers(ctx, list, func(rows *sql.Rows) error {
			var key string
			err := rows.Scan(&key)
			done[key] = true
			return err
		}, statement, t.job.Type, completion); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// together sends one writing statement with n lists of arguments, each about one
// record, in one transaction. changed is told of each that changed its record.
func (t records) together(ctx context.Context, conn *sql.Conn, statement string, n int, args func(int) []any, changed func(int)) (err error) {
	s := &sqlTransaction{conn: conn}
	if s.tx, err = conn.BeginTx(ctx, nil); err != nil {
		return err
	}
	defer s.tx.Rollback() //nolint:errcheck // done already, or the connection is gone
	text, _ := t.bind(statement, args(0))
	prepared, err := s.tx.PrepareContext(ctx, text) // in SQLite most of the time goes there
	if err != nil {
		return err
	}
	defer prepared.Close()
	for i := range n {
		_, placed := t.bind(statement, args(i))
		result, err := prepared.ExecContext(ctx, placed...)
		if err != nil {
			return err
		}
		matched, err := t.matched(result)
		if err != nil {
			return err
		}
		if matched {
			changed(i)
		}
	}
	if err = s.tx.Commit(); err != nil {
		s.discard()
	}
	return err
}
