package twiceproof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// The connection is lost at any statement of the transaction, its BEGIN and COMMIT
// included, before it is sent or after the server executed it. Nothing is
// acknowledged then but what is there; the redelivery finds out, and in the end
// there is one effect.
func TestOwnRowLostReplies(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		verbs := map[string]int{}
		own := ownRowVerbs(statements(r.d.dialect, ""))
		for _, c := range []struct {
			name   string
			before func(key string)
			act    ActTx
		}{
			{"new", func(string) {}, r.book},
			{"with a result", func(string) {}, func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				op.SetResult([]byte("r"))
				return r.book(ctx, tx, op)
			}},
			{"repeat", func(key string) { r.runTx(r.guardOn(r.plain, ownRowJob()), key) }, r.book},
			{"own COMMIT", func(string) {}, func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				return errors.Join(r.book(ctx, tx, op), tx.Commit())
			}},
		} {
			for _, after := range []bool{false, true} {
				for _, fault := range []error{errCut, driver.ErrBadConn, errSilent} {
					for n := 1; ; n++ {
						key := fmt.Sprintf("%s, at %d, after %v, %v", c.name, n, after, fault)
						if !r.survivesTx(key, c.before, c.act, &strikeAt{nth: []int{n}, after: after, err: fault, verbs: verbs}) {
							break
						}
					}
				}
			}
		}
		for _, verb := range own {
			for _, after := range []bool{false, true} {
				at := fmt.Sprintf("%s %v", verb, after)
				if verb != "repeat" && (verb != "mark_own_row" || r.d.dialect == SQLite) && verbs[at] == 0 {
					t.Errorf("no fault fired at %s; at %v", at, slices.Sorted(maps.Keys(verbs)))
				}
			}
		}
	})
}

func (r *rig) survivesTx(key string, before func(string), act ActTx, f *strikeAt) bool {
	r.t.Helper()
	before(key)
	g := r.guard(ownRowJob())
	r.faults.set(f.strike)
	res, err := g.RunTx(context.Background(), delivery(key), act)
	r.faults.set(nil)
	r.awaitFree(key)
	if err == nil && res.Acknowledge() {
		r.wantBooked(key, 1, 1)
	}
	if res.Outcome == Completed && err != nil {
		r.t.Errorf("%s: completed and %v", key, err)
	}
	again, againErr := g.RunTx(context.Background(), delivery(key), act)
	if !again.Acknowledge() {
		r.t.Errorf("%s: first %+v, %v; then %+v, %v", key, res, err, again, againErr)
	}
	r.wantBooked(key, 1, 1)
	return f.allFired()
}

// 40001, 40P01, 55P03 at the claim: another transaction was in the way.
func TestBusyClaim(t *testing.T) {
	r := newRig(t, databaseOf(Postgres))
	g := r.guard(ownRowJob())
	for _, code := range []string{"40001", "40P01", "55P03"} {
		r.faults.cut("claim_own_row", 1, false, &pgconn.PgError{Code: code})
		res := r.runTx(g, code)
		r.wantOutcome(res, Live, false)
		if res.RetryAfter <= 0 {
			t.Errorf("%s: %+v", code, res)
		}
		r.wantBooked(code, 0, 0)
	}
	r.faults.cut("claim_own_row", 1, false, &pgconn.PgError{Code: "57014"})
	if res, err := g.RunTx(context.Background(), delivery("57014"), r.book); err == nil || res.Acknowledge() {
		t.Errorf("%+v, %v", res, err)
	}
}

// Somebody who knows nothing of the guard has the record, in a transaction of their
// own: the claim waits for a moment, and the answer is Live.
func TestClaimBehindALock(t *testing.T) {
	r := newRig(t, databaseOf(Postgres))
	tx, err := r.plain.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.ExecContext(context.Background(), "INSERT INTO "+r.table+" (job_type, operation_key, state, claim_token, claimed_at, first_claimed_at, lease_ms) VALUES ($1, 'k', 'claimed', gen_random_uuid(), now(), now(), 1)", ownRowJob().Type)
	if err != nil {
		t.Fatal(err)
	}
	r.wantOutcome(r.runTx(r.guard(ownRowJob()), "k"), Live, false)
	r.wantOutcome(r.runTx(r.guard(ownRowJob()), "another"), Completed, true)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	r.wantOutcome(r.runTx(r.guard(ownRowJob()), "k"), Completed, true)
}

// Two bodies that read what the other writes: SERIALIZABLE lets one of them commit.
func TestSerializationFailureAtCommit(t *testing.T) {
	made := newRig(t, databaseOf(Postgres))
	made.dsn += "&default_transaction_isolation=serializable"
	r := newRigOn(t, made)
	g := r.guard(ownRowJob())
	skewed := func(then func()) ActTx {
		return func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			var n int
			err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+r.bookings()).Scan(&n)
			err = errors.Join(err, r.book(ctx, tx, op))
			then()
			return err
		}
	}
	res, err := g.RunTx(context.Background(), delivery("a"), skewed(func() {
		r.wantOutcome(r.runTxWith(g, "b", skewed(func() {})), Completed, true)
	}))
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != "40001" || !errors.Is(err, ErrNotCommitted) || res.Acknowledge() {
		t.Errorf("%+v, %v", res, err)
	}
	r.wantBooked("a", 0, 0)
	r.wantBooked("b", 1, 1)
	r.wantOutcome(r.runTx(g, "a"), Completed, true)
	r.wantBooked("a", 1, 1)
}

// A long reader is in the way of a COMMIT in a rollback journal: it fails as busy,
// and SQLite leaves the transaction open (this driver rolls it back itself, others do
// not). The connection does not go back into the pool. In WAL a reader is in nobody's way.
func TestSQLiteCommitWithALongReader(t *testing.T) {
	for journal, dsn := range map[string]func(testing.TB, ...string) string{"wal": testdb.SQLite, "delete": testdb.SQLiteRollback} {
		t.Run(journal, func(t *testing.T) {
			r := impatient(newRigAt(t, databaseOf(SQLite), dsn(t)+noSync, dialect.Table))
			g := r.guard(ownRowJob())
			r.db.SetMaxOpenConns(1)
			r.exec("INSERT INTO " + r.bookings() + " VALUES ('other')")
			reader, err := r.open().BeginTx(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var n int
			if err := reader.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.bookings()).Scan(&n); err != nil {
				t.Fatal(err)
			}
			res, err := g.RunTx(context.Background(), delivery("k"), r.book)
			if journal == "wal" {
				r.wantOutcome(res, Completed, true)
			} else if err == nil || res.Acknowledge() || !dialect.Busy(err) || r.db.Stats().OpenConnections != 0 {
				t.Errorf("%+v, %v; %d connections", res, err, r.db.Stats().OpenConnections)
			}
			if err := reader.Rollback(); err != nil {
				t.Fatal(err)
			}
			if journal == "delete" { // not into the transaction that was left open
				if _, err := r.db.ExecContext(context.Background(), "BEGIN IMMEDIATE; ROLLBACK"); err != nil {
					t.Errorf("the pooled connection: %v", err)
				}
				r.wantBooked("k", 0, 0)
			}
			r.wantOutcome(r.runTx(g, "k"), Completed, true)
			r.wantBooked("k", 1, 1)
		})
	}
}
