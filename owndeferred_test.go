package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// What the database refuses only at COMMIT, by a constraint that is deferred until then,
// was certainly not committed: it is told as it would be within the body.
func TestRefusedAtCommit(t *testing.T) {
	for d, setting := range map[Dialect]string{Postgres: "", SQLite: "&_pragma=foreign_keys(1)"} {
		t.Run(string(d), func(t *testing.T) {
			made := newRig(t, databaseOf(d))
			made.dsn += setting
			r := newRigOn(t, made)
			parents, children := r.table+"_parents", r.table+"_children"
			r.exec("CREATE TABLE " + parents + " (k text PRIMARY KEY)")
			r.exec("CREATE TABLE " + children + " (k text REFERENCES " + parents + " (k) DEFERRABLE INITIALLY DEFERRED)")
			orphan := func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				_, err := tx.ExecContext(ctx, "INSERT INTO "+children+" VALUES ('k')")
				return errors.Join(err, r.book(ctx, tx, op))
			}
			g := r.guard(ownRowJob())
			res, err := g.RunTx(context.Background(), delivery("k"), orphan)
			if !errors.Is(err, ErrNotCommitted) || !errors.Is(err, ErrBody) || res.Acknowledge() {
				t.Errorf("%+v, %v", res, err)
			}
			r.wantBooked("k", 0, 0)
			// The control: it was the constraint alone.
			r.exec("INSERT INTO " + parents + " VALUES ('k')")
			r.wantOutcome(r.runTxWith(g, "k", orphan), Completed, true)
			r.wantBooked("k", 1, 1)
		})
	}
}

// Only an answer that leaves no doubt is taken for one.
func TestRolledBack(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{withState("23505"), true}, {withState("23503"), true}, {withState("40001"), true}, {withState("P0001"), true},
		{withState("08006"), false}, {withState("40003"), false}, {withState("53100"), false}, {withState("57P01"), false}, {withState("XX000"), false}, {withState(""), false},
		{withCode(787), true}, {withCode(13), true}, {withCode(5), false}, {withCode(10), false},
		{errors.New("connection reset by peer"), false}, {sql.ErrTxDone, false}, {nil, false},
	} {
		if got := rolledBack(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
}
