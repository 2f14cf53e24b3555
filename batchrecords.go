package twiceproof

import (
	"context"
	"database/sql"
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
	seen := map[string]record{}
	err := t.answers(ctx, wanted(all), func(rows *sql.Rows) error {
		var key string
		r, err := scanRecord(scanFunc(func(dest ...any) error { return rows.Scan(append([]any{&key}, dest...)...) }))
		seen[key] = r
		return err
	}, t.batch.Claim, t.job.Type, t.job.StoredLease().Milliseconds(), t.worker, string(t.job.Stale.Policy))
	return seen, err
}

type wantedClaim struct {
	Key       string  `json:"operation_key"`
	Token     string  `json:"claim_token"`
	Print     []byte  `json:"fingerprint"`
	Fields    *string `json:"fingerprint_fields"`
	Reference string  `json:"reference"`
	Message   []byte  `json:"message"`
}

func wanted(all []claimed) []wantedClaim {
	list := make([]wantedClaim, len(all))
	for i, c := range all {
		list[i] = wantedClaim{c.key, c.token, c.print.Sum, nil, c.reference, c.message}
		if c.print.Fields != "" {
			list[i].Fields = &all[i].print.Fields
		}
	}
	return list
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
	return seen, together(ctx, conn, t.sql.Claim, len(absent), func(i int) []any {
		return t.claimArgs(absent[i])
	}, func(i int) { seen[absent[i].key] = t.inserted(absent[i]) })
}

func (t records) readAll(ctx context.Context, conn *sql.Conn, all []claimed) (seen map[string]record, absent []claimed, err error) {
	read, err := conn.PrepareContext(ctx, t.sql.Read)
	if err != nil {
		return nil, nil, err
	}
	defer read.Close()
	seen = map[string]record{}
	for _, c := range all {
		r, ok, err := found(read.QueryRowContext(ctx, t.job.Type, c.key))
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

type dueCompletion struct {
	Key    string `json:"operation_key"`
	Token  string `json:"claim_token"`
	Result []byte `json:"result"`
}

func due(all []finished) []dueCompletion {
	list := make([]dueCompletion, len(all))
	for i, f := range all {
		list[i] = dueCompletion{f.key, f.token, f.result}
	}
	return list
}

// completeAll tells which it completed. All is committed together or nothing is.
func (t records) completeAll(ctx context.Context, all []finished, completion string) (map[string]bool, error) {
	if t.batch.Complete == "" {
		return t.completeInOneTransaction(ctx, all, completion)
	}
	done := map[string]bool{}
	list := due(all)
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

func (t records) completeInOneTransaction(ctx context.Context, all []finished, completion string) (map[string]bool, error) {
	conn, err := t.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close() // back to the pool
	done := map[string]bool{}
	return done, together(ctx, conn, t.sql.Complete, len(all), func(i int) []any {
		f := all[i]
		return []any{t.job.Type, f.key, f.token, completion, blob(f.result)}
	}, func(i int) { done[all[i].key] = true })
}

// together sends one writing statement with n lists of arguments, each about one
// record, in one transaction. changed is told of each that changed its record.
func together(ctx context.Context, conn *sql.Conn, statement string, n int, args func(int) []any, changed func(int)) (err error) {
	s := &sqlTransaction{conn: conn}
	if s.tx, err = conn.BeginTx(ctx, nil); err != nil {
		return err
	}
	defer s.tx.Rollback()                                //nolint:errcheck // done already, or the connection is gone
	prepared, err := s.tx.PrepareContext(ctx, statement) // in SQLite most of the time goes there
	if err != nil {
		return err
	}
	defer prepared.Close()
	for i := range n {
		result, err := prepared.ExecContext(ctx, args(i)...)
		if err != nil {
			return err
		}
		matched, err := didMatch(result, false)
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
