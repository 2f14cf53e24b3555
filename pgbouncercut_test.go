package twiceproof

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
)

// Between the worker and PgBouncer the connection ends at a statement: before it was
// passed on, or after PgBouncer began to answer it. PgBouncer rolls back what was open
// and gives the server's connection to others; the guard recognises its own claim, or
// the next delivery finds out.
func TestConnectionCutBeforePgBouncer(t *testing.T) {
	direct, dsn := pooled(t, "transaction")
	for at, c := range map[string]struct {
		mark string
		row  bool
	}{
		"claim":           {"first_claimed_at,", false},
		"completion":      {"'held') OR completion", false},
		"own row's claim": {"first_claimed_at,", true},
		"own row's seal":  {"pg_current_xact_id_if_assigned", true},
		"COMMIT":          {"commit", true},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprint(at, ", after ", after), func(t *testing.T) {
				r := newRigAt(t, direct.d, direct.dsn, "records_"+newToken()[:8])
				pool := *r
				pool.dsn = dsn
				by, cut := behind(t, &pool)
				db := by.open()
				if err := db.PingContext(context.Background()); err != nil {
					t.Fatal(err)
				}
				cut.arm(c.mark, after)
				if c.row {
					r.cutOwnRow(r.guardOn(db, ownRowJob()), after && at == "COMMIT")
				} else {
					r.wantOutcome(r.runWith(r.guardOn(db, holdJob()), "k", r.till.charge), Completed, true)
					r.wantEffects("k", 1)
					r.wantRecord("k", "state=completed completion=acted acts=1 late_finish_at=null")
				}
				if !cut.fired {
					t.Error("the connection was not cut")
				}
			})
		}
	}
}

// cutOwnRow: an error and no acknowledgement; the redelivery does it, or finds it done.
func (r *rig) cutOwnRow(g *Guard, committed bool) {
	r.t.Helper()
	if res, err := g.RunTx(context.Background(), delivery("k"), r.book); err == nil || res.Acknowledge() {
		r.t.Errorf("%+v, %v", res, err)
	}
	r.awaitNobody("k")
	n := map[bool]int{true: 1}[committed]
	r.wantBooked("k", n, n)
	if res := r.runTx(g, "k"); res.Outcome != Completed || res.Repeat != committed {
		r.t.Errorf("%+v, committed before: %v", res, committed)
	}
	r.wantBooked("k", 1, 1)
}

// The server ends both of PgBouncer's connections to it between two deliveries, and in
// the middle of an act: an outside effect is made once, an own row is rolled back whole.
func TestServerEndsPgBouncersConnections(t *testing.T) {
	r, dsn := pooled(t, "transaction")
	db := workersAt(t, "pgx", dsn+execMode)[0]
	ended := 0
	end := func() {
		r.t.Helper()
		var n int
		query := "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() AND query LIKE '%" + r.table + "%'"
		if err := r.plain.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		ended += n
	}
	outside, own := r.guardOn(db, holdJob()), r.guardOn(db, ownRowJob())
	r.run(outside, "before")
	end()
	r.wantOutcome(r.run(outside, "k"), Completed, true)
	res := r.runWith(outside, "during", func(ctx context.Context, op *Operation) error {
		end()
		return r.till.charge(ctx, op)
	})
	r.wantOutcome(res, Completed, true)
	for _, key := range []string{"before", "k", "during"} {
		r.wantEffects(key, 1)
		r.wantRecord(key, "state=completed acts=1")
	}
	res, err := own.RunTx(context.Background(), delivery("row"), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		defer end()
		return r.book(ctx, tx, op)
	})
	if err == nil || res.Acknowledge() {
		t.Errorf("%+v, %v", res, err)
	}
	r.awaitNobody("row")
	r.wantBooked("row", 0, 0)
	r.wantOutcome(r.runTx(own, "row"), Completed, true)
	r.wantBooked("row", 1, 1)
	if ended == 0 {
		t.Error("no connection was ended")
	}
}
