package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/twiceproof/twiceproof/job"
)

// readOnly makes the guard's one connection refuse writes, or take them again.
func (r *rig) readOnly(on bool) {
	r.t.Helper()
	statement := map[Dialect]map[bool]string{
		Postgres: {true: "SET default_transaction_read_only = on", false: "SET default_transaction_read_only = off"},
		MySQL:    {true: "SET SESSION TRANSACTION READ ONLY", false: "SET SESSION TRANSACTION READ WRITE"},
		SQLite:   {true: "PRAGMA query_only = 1", false: "PRAGMA query_only = 0"},
	}[r.d.dialect][on]
	if _, err := r.db.ExecContext(context.Background(), statement); err != nil {
		r.t.Fatal(err)
	}
}

func TestReadOnlyBeforeTheClaim(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.db.SetMaxOpenConns(1)
		r.readOnly(true)
		for range 20 {
			res, err := r.guard(holdJob()).Run(context.Background(), delivery("k"), r.till.charge)
			if err == nil || res.Acknowledge() || res.Outcome != "" || res.Key != "k" {
				t.Errorf("%+v, %v", res, err)
			}
		}
		if r.till.total() != 0 || r.rows() != 0 {
			t.Errorf("%d effects, %d records", r.till.total(), r.rows())
		}
		r.readOnly(false)
		r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
	})
}

// Charge first, book second, and the book is read-only: one effect, never one
// for each delivery.
func TestReadOnlyBeforeTheCompletion(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.db.SetMaxOpenConns(1)
		for _, j := range bothPolicies() {
			key := string(j.Stale.Policy)
			act := func(ctx context.Context, op *Operation) error {
				r.readOnly(true)
				return r.till.charge(ctx, op)
			}
			for n := range 20 {
				if n == 10 {
					r.stale(key)
				}
				res, err := r.guard(j).Run(context.Background(), delivery(key), act)
				if res.Acknowledge() || n == 0 && err == nil || n == 19 && err == nil {
					t.Errorf("delivery %d: %+v, %v", n, res, err)
				}
			}
			r.wantEffects(key, 1)
			r.wantRecord(key, "state=claimed acts=1 message=set")
			r.readOnly(false)
			r.run(r.guard(j), key)
			r.wantRecord(key, map[job.Policy]string{job.Hold: "state=held", job.Lookup: "state=completed completion=found"}[j.Stale.Policy])
			r.wantEffects(key, 1)
		}
	})
}

// The record's table is gone, or the whole database is closed, when the body
// comes back: an error, and the message stays.
func TestDatabaseGoneAtCompletion(t *testing.T) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			made := newRig(t, d)
			synctest.Test(t, func(t *testing.T) {
				r := newRigOn(t, made)
				for name, gone := range map[string]func(db *sql.DB){
					"table":  func(*sql.DB) { r.exec("ALTER TABLE " + r.table + " RENAME TO gone") },
					"closed": func(db *sql.DB) { _ = db.Close() },
				} {
					db := r.open()
					res, err := r.guardOn(db, holdJob()).Run(context.Background(), delivery(name), func(ctx context.Context, op *Operation) error {
						gone(db)
						return r.till.charge(ctx, op)
					})
					if err == nil || res.Acknowledge() || res.Outcome != "" {
						t.Errorf("%s: %+v, %v", name, res, err)
					}
					if name == "table" {
						r.exec("ALTER TABLE gone RENAME TO " + r.table)
					}
					r.wantEffects(name, 1)
					r.wantRecord(name, "state=claimed acts=1 message=set")
				}
			})
		})
	}
}

func (r *rig) exec(statement string) {
	r.t.Helper()
	if _, err := r.plain.ExecContext(context.Background(), statement); err != nil {
		r.t.Fatal(err)
	}
}

// Without the database nothing is acted.
func TestDatabaseGoneBeforeTheClaim(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		r.faults.set(func(string, int, bool) error { return errCut })
		res, err := r.guard(holdJob()).Run(context.Background(), delivery("k"), r.till.charge)
		if !errors.Is(err, errCut) || res.Acknowledge() || r.till.total() != 0 {
			t.Errorf("%+v, %v, %d effects", res, err, r.till.total())
		}
		if r.faults.count() < 3 {
			t.Errorf("sent %d times only", r.faults.count())
		}
	})
}
