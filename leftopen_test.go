package twiceproof

import (
	"context"
	"testing"
)

// What the guarantee does not cover, and says: the application has left a transaction open
// on a connection that the pool gives to the guard. Then the claim is not there for anybody
// else during the act. pgx takes such a connection out of the pool.
func TestRunOnAConnectionLeftInATransaction(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) { r.leftOpen(r.d.dialect == Postgres) })
	t.Run("lib/pq", func(t *testing.T) {
		r := newRig(t, databaseOf(Postgres))
		r.d.driver = "postgres"
		r.leftOpen(false)
	})
}

func (r *rig) leftOpen(safe bool) {
	r.t.Helper()
	db := r.open()
	db.SetMaxOpenConns(1)
	g := r.guardOn(db, holdJob())
	claimed := func(key string) (seen bool) {
		if _, err := g.Run(context.Background(), delivery(key), func(context.Context, *Operation) error {
			seen = r.exists(key)
			return nil
		}); err != nil {
			r.t.Error(err)
		}
		return seen
	}
	if !claimed("before") {
		r.t.Error("the control: the claim was not committed")
	}
	if _, err := db.ExecContext(context.Background(), "BEGIN"); err != nil {
		r.t.Fatal(err)
	}
	if seen := claimed("k"); seen != safe {
		r.t.Errorf("the claim was committed: %v", seen)
	}
	g.awaitCount()
	_ = db.Close()
	if !safe && r.exists("k") {
		r.t.Error("the record outlived the connection")
	}
}
