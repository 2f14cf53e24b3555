package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/twiceproof/twiceproof/dialect"
)

// What a body writes after its transaction was rolled back, as error 1213 does it in
// the middle of the act, is not committed by itself: a redelivery would write it again.
func TestRowAfterARollback(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		goesOn := func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			err := r.book(ctx, tx, op)
			_, rollback := tx.ExecContext(ctx, "ROLLBACK")
			return errors.Join(err, rollback, r.book(ctx, tx, op))
		}
		res, err := g.RunTx(context.Background(), delivery("k"), goesOn)
		if res.Acknowledge() || !errors.Is(err, ErrNotCommitted) || !errors.Is(err, ErrBody) {
			t.Errorf("%+v, %v", res, err)
		}
		r.wantBooked("k", 0, 0)
		r.wantOutcome(r.runTx(g, "k"), Completed, true)
		r.wantBooked("k", 1, 1)

		// The control: with autocommit left on, the row is there without its record.
		spoilt := newMySQL(g.records.sql, r.table)
		spoilt.statements[spoilt.session.Limit] = dialect.NewPositional("DO ?1 + ?2 + ?3 + ?4;")
		spoilt.found = g.records.mysql.found
		g.records.mysql = spoilt
		if _, err := g.RunTx(context.Background(), delivery("control"), goesOn); err == nil {
			t.Error("the seal did not see it")
		}
		r.wantBooked("control", 1, 0)
	})
}

// And whatever else a body does to its transaction, as TestSeal has it.
func TestMySQLSeal(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) { bodiesOn(t, r, sealed) })
}

// The connection goes back to the pool as it was, however the body ends.
func TestSessionIsSetBack(t *testing.T) {
	r := newRig(t, databaseOf(MySQL))
	r.db.SetMaxOpenConns(1)
	const settings = "SELECT CONCAT_WS(' ', @@autocommit, @@wait_timeout, @@net_write_timeout, @@max_statement_time)"
	read := func(q interface {
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}) (s string) {
		t.Helper()
		if err := q.QueryRowContext(context.Background(), settings).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := r.db.ExecContext(context.Background(), "SET SESSION max_statement_time = 100.5"); err != nil {
		t.Fatal(err)
	}
	before := read(r.db)
	for name, end := range map[string]func() error{
		"done": func() error { return nil }, "failed": func() error { return errTill }, "panic": func() error { panic("out of paper") },
	} {
		within := ""
		outside(func() {
			_, _ = r.guard(ownRowJob()).RunTx(context.Background(), delivery(name), func(_ context.Context, tx *sql.Tx, _ *Operation) error {
				within = read(tx)
				return end()
			})
		})
		if after := read(r.db); within != "OFF 60 60 60.000000" || after != before {
			t.Errorf("%s: %q, within it %q, before it %q", name, after, within, before)
		}
	}
}
