package twiceproof

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// records are the verbs over the table: one statement each, none decides.
type records struct {
	db     *sql.DB
	sql    dialect.Statements
	batch  dialect.Batch
	job    job.Job
	worker string
	// readFirst: in SQLite an INSERT takes the lock of the whole database even
	// when it inserts nothing, so a duplicate reads before it writes.
	readFirst bool
	// mysql is set for MySQL and MariaDB only.
	mysql *mysqlRecords
}

func newRecords(db *sql.DB, d Dialect, j job.Job, table string) (records, error) {
	text, err := dialect.Load(string(d), table)
	if err != nil {
		return records{}, err
	}
	t := records{db: db, sql: text, batch: dialect.LoadBatch(string(d), table), job: j, readFirst: d == SQLite}
	if d == MySQL {
		t.mysql = newMySQL(text, table)
	}
	return t, nil
}

// claimed is one delivery's own side of a claim.
type claimed struct {
	key       string
	token     string
	print     job.Fingerprint
	reference string
	message   []byte
}

func newToken() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// claim inserts the record or answers the one that is there; false when there is
// one that cannot be seen yet.
func (t records) claim(ctx context.Context, c claimed) (record, bool, error) {
	if err := t.checkSession(ctx); err != nil {
		return record{}, false, err
	}
	if t.readFirst {
		if r, ok, err := t.read(ctx, c.key); ok || err != nil {
			return r, ok, err
		}
		if _, err := t.db.ExecContext(ctx, t.sql.Claim, t.claimArgs(c)...); err != nil {
			return record{}, false, err
		}
		return t.read(ctx, c.key)
	}
	statement, args := t.bind(t.sql.Claim, t.claimArgs(c))
	r, ok, err := found(t.db.QueryRowContext(ctx, statement, args...))
	if ok || err != nil {
		return r, ok, err
	}
	return t.read(ctx, c.key)
}

func (t records) claimArgs(c claimed) []any {
	return []any{
		t.job.Type, c.key, c.token, t.job.StoredLease().Milliseconds(), t.worker,
		string(t.job.Stale.Policy), blob(c.print.Sum), text(c.print.Fields), c.reference, blob(c.message),
	}
}

// inserted is the record that a claim has just made.
func (t records) inserted(c claimed) record {
	return record{
		state: stateClaimed, token: c.token, staleFor: -t.job.StoredLease(), acts: 1,
		policy: t.job.Stale.Policy, fingerprint: c.print, reference: c.reference,
	}
}

func (t records) read(ctx context.Context, key string) (record, bool, error) {
	statement, args := t.bind(t.sql.Read, []any{t.job.Type, key})
	return found(t.db.QueryRowContext(ctx, statement, args...))
}

func found(row *sql.Row) (record, bool, error) {
	r, err := scanRecord(row)
	if errors.Is(err, sql.ErrNoRows) {
		return record{}, false, nil
	}
	return r, err == nil, err
}

func (t records) takeOver(ctx context.Context, c claimed, seen record, extra time.Duration) (bool, error) {
	return t.changed(ctx, t.sql.TakeOver, c.key, seen.token, c.token, t.job.StoredLease().Milliseconds(), t.worker,
		string(t.job.Stale.Policy), seen.acts, extra.Milliseconds())
}

func (t records) hold(ctx context.Context, c claimed, seen record, reason string) (bool, error) {
	return t.changed(ctx, t.sql.Hold, c.key, seen.token, reason, text(string(t.job.Stale.Policy)), seen.acts)
}

func (t records) assume(ctx context.Context, c claimed, seen record) (bool, error) {
	return t.changed(ctx, t.sql.Assume, c.key, seen.token, string(t.job.Stale.Policy), seen.acts)
}

func (t records) renew(ctx context.Context, c claimed) (bool, error) {
	return t.changed(ctx, t.sql.Renew, c.key, c.token, t.job.StoredLease().Milliseconds())
}

func (t records) actAgain(ctx context.Context, c claimed, acts int) (bool, error) {
	return t.changed(ctx, t.sql.ActAgain, c.key, c.token, acts)
}

func (t records) complete(ctx context.Context, c claimed, completion string, result []byte) (bool, error) {
	return t.changed(ctx, t.sql.Complete, c.key, c.token, completion, blob(result))
}

func (t records) release(ctx context.Context, c claimed, newToken string) (bool, error) {
	return t.changed(ctx, t.sql.Release, c.key, c.token, newToken)
}

func (t records) giveUp(ctx context.Context, c claimed, pause time.Duration, lookups int) (bool, error) {
	return t.changed(ctx, t.sql.GiveUp, c.key, c.token, pause.Milliseconds(), lookups)
}

func (t records) repeat(ctx context.Context, key string) error {
	_, err := t.changed(ctx, t.sql.Repeat, key)
	return err
}

func (t records) lateFinish(ctx context.Context, c claimed) (bool, error) {
	return t.changed(ctx, t.sql.LateFinish, c.key, c.token)
}

// changed runs a statement on the operation's record and tells whether it
// changed it.
func (t records) changed(ctx context.Context, statement, key string, args ...any) (bool, error) {
	statement, args = t.bind(statement, append([]any{t.job.Type, key}, args...))
	result, err := t.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	return didMatch(result, t.mysql != nil)
}

// blob and text keep "nothing" apart from "empty" in the columns.
func blob(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
