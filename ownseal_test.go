package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
)

// body is what a job does to the guard's transaction, and what may come of it.
type body struct {
	name    string
	only    Dialect // empty: both
	act     func(r *rig, ctx context.Context, tx *sql.Tx, op *Operation) error
	outcome Outcome // without an error only Completed
	held    string
	effects int
	// sealed: without the seal it would have been acknowledged, or else the driver
	// would have said no.
	sealed bool
}

func runs(statements ...string) func(r *rig, ctx context.Context, tx *sql.Tx, op *Operation) error {
	return func(r *rig, ctx context.Context, tx *sql.Tx, op *Operation) error {
		err := r.book(ctx, tx, op)
		for _, s := range statements {
			_, _ = tx.ExecContext(ctx, s) // whatever it says is swallowed
		}
		return err
	}
}

const failing = "INSERT INTO no_such_table VALUES (1)"

var ddl = []string{"CREATE TABLE made_by_the_body (k text)", "DROP TABLE made_by_the_body"}

var bodies = []body{
	{"savepoint of its own", "", runs("SAVEPOINT a", failing, "ROLLBACK TO SAVEPOINT a", "RELEASE SAVEPOINT a"), Completed, "", 1, false},
	{"savepoint left open", "", runs("SAVEPOINT a"), Completed, "", 1, false},
	{"savepoints within each other", "", runs("SAVEPOINT a", "SAVEPOINT b", "RELEASE SAVEPOINT a"), Completed, "", 1, false},
	{"DDL", Postgres, runs(ddl...), Completed, "", 1, false},
	{"DDL", SQLite, runs(ddl...), Completed, "", 1, false},
	{"DDL, which commits", MySQL, runs(ddl...), Held, "body_ended_transaction", 1, true},
	{"BEGIN", Postgres, runs("BEGIN"), Completed, "", 1, false},
	{"BEGIN", SQLite, runs("BEGIN"), Completed, "", 1, false},
	{"BEGIN, which commits", MySQL, runs("BEGIN"), Held, "body_ended_transaction", 1, true},
	{"SET autocommit, which commits", MySQL, runs("SET autocommit = 0", "SET autocommit = 1"), Held, "body_ended_transaction", 1, true},
	{"LOCK TABLES, which commits", MySQL, runs("LOCK TABLES mysql.user READ", "UNLOCK TABLES"), Held, "body_ended_transaction", 1, true},
	{"an error that MySQL forgives", MySQL, runs(failing), Completed, "", 1, false},
	{"COMMIT AND CHAIN, MySQL", MySQL, runs("COMMIT AND CHAIN"), Held, "body_ended_transaction", 1, true},
	{"ROLLBACK AND CHAIN, MySQL", MySQL, runs("ROLLBACK AND CHAIN"), "", "", 0, true},
	{"an error that SQLite forgives", SQLite, runs(failing), Completed, "", 1, false},

	{"swallowed error", Postgres, runs(failing), "", "", 0, false},
	{"swallowed error within a savepoint", Postgres, runs("SAVEPOINT a", failing), "", "", 0, false},
	{"ROLLBACK", "", runs("ROLLBACK"), "", "", 0, true},
	{"ROLLBACK and BEGIN", "", runs("ROLLBACK", "BEGIN"), "", "", 0, true},
	{"COMMIT", "", runs("COMMIT"), Held, "body_ended_transaction", 1, true},
	{"COMMIT and BEGIN", "", runs("COMMIT", "BEGIN"), Held, "body_ended_transaction", 1, true},
	{"COMMIT AND CHAIN", Postgres, runs("COMMIT AND CHAIN"), Held, "body_ended_transaction", 1, true},
	{"ROLLBACK AND CHAIN", Postgres, runs("ROLLBACK AND CHAIN"), "", "", 0, true},
	{"PREPARE TRANSACTION, which fails", Postgres, runs("PREPARE TRANSACTION 'a'"), "", "", 0, true},
	{"tx.Commit", "", func(r *rig, ctx context.Context, tx *sql.Tx, op *Operation) error {
		return errors.Join(r.book(ctx, tx, op), tx.Commit())
	}, Held, "body_ended_transaction", 1, false},
	{"tx.Rollback", "", func(r *rig, ctx context.Context, tx *sql.Tx, op *Operation) error {
		return errors.Join(r.book(ctx, tx, op), tx.Rollback())
	}, "", "", 0, false},
	{"savepoint rolled back and another transaction", SQLite, runs("ROLLBACK", "BEGIN", "SAVEPOINT a"), "", "", 0, true},
}

func eachBody(t *testing.T, test func(t *testing.T, r *rig, b body)) {
	t.Helper()
	onEach(t, func(t *testing.T, r *rig) { bodiesOn(t, r, test) })
}

func bodiesOn(t *testing.T, r *rig, test func(t *testing.T, r *rig, b body)) {
	t.Helper()
	for _, b := range bodies {
		if b.only == "" || b.only == r.d.dialect {
			test(t, r, b)
		}
	}
}

// Whatever the body does to the transaction, nothing is acknowledged that is not
// there.
func TestSeal(t *testing.T) { eachBody(t, sealed) }

func sealed(t *testing.T, r *rig, b body) {
	t.Helper()
	g := r.guard(ownRowJob())
	res, err := g.RunTx(context.Background(), delivery(b.name), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		op.SetResult([]byte("r"))
		return b.act(r, ctx, tx, op)
	})
	if res.Outcome != b.outcome || (err == nil) != (b.outcome == Completed) {
		t.Errorf("%s: %+v, %v", b.name, res, err)
	}
	if b.outcome == "" && res.Acknowledge() || err != nil && !errors.Is(err, ErrNotCommitted) {
		t.Errorf("%s: acknowledged, or %v", b.name, err)
	}
	records := min(1, len(b.outcome))
	r.wantBooked(b.name, b.effects, records)
	if b.held != "" {
		r.wantRecord(b.name, "state=held held_at=set message=set completion=null completed_at=null hold_reason="+b.held)
	}
	again := r.runTx(g, b.name)
	want := Completed
	if b.outcome == Held {
		want = Held
	}
	r.wantOutcome(again, want, true)
	r.wantBooked(b.name, 1, 1)
}

// The control: a guard whose seal says yes to everything acknowledges them.
func TestSealControl(t *testing.T) {
	eachBody(t, func(t *testing.T, r *rig, b body) {
		if b.outcome == Completed {
			return
		}
		g := r.guard(ownRowJob())
		g.records.sql.SealOwnRow = map[Dialect]string{Postgres: "SELECT $1::text", MySQL: "DO 1", SQLite: "SELECT 1"}[r.d.dialect]
		res, err := g.RunTx(context.Background(), delivery(b.name), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			return b.act(r, ctx, tx, op)
		})
		acknowledged := err == nil && res.Acknowledge()
		if r.d.dialect == SQLite && (b.name == "COMMIT" || b.name == "ROLLBACK") {
			// SQLite refuses a COMMIT outside of a transaction, so here the seal is not alone.
			if acknowledged {
				t.Errorf("%s: %+v", b.name, res)
			}
			return
		}
		if acknowledged != b.sealed {
			t.Errorf("%s: %+v, %v, want it acknowledged: %v", b.name, res, err, b.sealed)
		}
		if r.d.dialect == Postgres && b.name == "swallowed error within a savepoint" && !errors.Is(err, ErrNotCommitted) && !errors.Is(err, pgx.ErrTxCommitRollback) {
			t.Errorf("%s: %v", b.name, err)
		}
	})
}

// Having committed by itself, the body then fails, too: nobody can tell how much is
// there, so it is not completed, and not acted upon again.
func TestBodyThatCommitsAndFails(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(ownRowJob())
		for name, end := range map[string]func(cancel func()) error{
			"error": func(func()) error { return errTill }, "panic": func(func()) error { panic("out of paper") },
			"cancelled": func(cancel func()) error { cancel(); return nil },
		} {
			for how, commit := range map[string]func(ctx context.Context, tx *sql.Tx) error{
				"tx.Commit": func(_ context.Context, tx *sql.Tx) error { return tx.Commit() },
				"COMMIT":    func(ctx context.Context, tx *sql.Tx) error { _, err := tx.ExecContext(ctx, "COMMIT"); return err },
			} {
				key := how + ", " + name
				ctx, cancel := context.WithCancel(context.Background())
				var res Result
				outside(func() {
					res, _ = g.RunTx(ctx, delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
						if err := errors.Join(r.book(ctx, tx, op), commit(ctx, tx)); err != nil {
							t.Error(err)
						}
						return end(cancel)
					})
				})
				cancel()
				if name != "panic" {
					r.wantOutcome(res, Held, true)
				}
				r.wantRecord(key, "state=held hold_reason=body_ended_transaction message=set")
				r.wantOutcome(r.runTx(g, key), Held, true)
				r.wantBooked(key, 1, 1)
			}
		}
	})
}
