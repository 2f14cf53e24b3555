package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// deadlock lets two bodies wait for each other's row; the server ends one of them.
func deadlock(t *testing.T, r *rig, then func(ctx context.Context, tx *sql.Tx, op *Operation, err error) error) map[string]error {
	t.Helper()
	r.exec("CREATE TABLE " + r.table + "_two (k VARCHAR(8) PRIMARY KEY, n INT)")
	r.exec("INSERT INTO " + r.table + "_two VALUES ('a', 0), ('b', 0)")
	t.Cleanup(func() { r.exec("DROP TABLE " + r.table + "_two") })
	bump := "UPDATE " + r.table + "_two SET n = n + 1 WHERE k = ?"
	g := r.guard(ownRowJob())
	at := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
	ends := make(chan struct {
		key string
		err error
	}, 2)
	for own, other := range map[string]string{"a": "b", "b": "a"} {
		go func() {
			res, err := g.RunTx(context.Background(), delivery(own), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				if err := r.book(ctx, tx, op); err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, bump, own); err != nil {
					return err
				}
				close(at[own])
				<-at[other]
				_, err := tx.ExecContext(ctx, bump, other)
				return then(ctx, tx, op, err)
			})
			if err == nil && !res.Acknowledge() {
				err = res.Err
			}
			ends <- struct {
				key string
				err error
			}{own, err}
		}()
	}
	told := map[string]error{}
	for range 2 {
		e := <-ends
		told[e.key] = e.err
	}
	return told
}

// A real deadlock, which rolls the whole transaction back, and a body that does not
// look: the seal does.
func TestMySQLDeadlockSwallowed(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		told := deadlock(t, r, func(_ context.Context, _ *sql.Tx, _ *Operation, err error) error {
			if err != nil && !strings.Contains(err.Error(), "1213") {
				t.Error(err)
			}
			return nil
		})
		lost := 0
		for key, err := range told {
			if err == nil {
				r.wantBooked(key, 1, 1)
				continue
			}
			lost++
			if !errors.Is(err, ErrNotCommitted) {
				t.Errorf("%s: %v", key, err)
			}
			r.wantBooked(key, 0, 0)
			r.wantOutcome(r.runTx(r.guard(ownRowJob()), key), Completed, true)
			r.wantBooked(key, 1, 1)
		}
		if lost != 1 {
			t.Errorf("%d of the two were rolled back: %v", lost, told)
		}
	})
}

// And when it writes on after the deadlock, that is rolled back, too: with autocommit it
// would be there, each statement by itself. (SET SESSION tx_read_only = 1 instead would
// not do: in MariaDB the first statement after error 1213 does not know of it yet.)
func TestMySQLDeadlockSwallowedAndWritesOn(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, r *rig) {
		told := deadlock(t, r, func(ctx context.Context, tx *sql.Tx, op *Operation, err error) error {
			if err != nil {
				return r.book(ctx, tx, op)
			}
			return nil
		})
		lost := 0
		for key, err := range told {
			if err != nil {
				lost++
				r.wantBooked(key, 0, 0)
				r.wantOutcome(r.runTx(r.guard(ownRowJob()), key), Completed, true)
			}
			r.wantBooked(key, 1, 1)
		}
		if lost != 1 {
			t.Errorf("%d of the two were rolled back: %v", lost, told)
		}
	})
}

// Snapshot isolation's own error ends the whole transaction, too.
func TestMySQLChangedRecordSwallowed(t *testing.T) {
	r := mysqlRig(t, func(c *mysql.Config) { c.Params["innodb_snapshot_isolation"] = "1" })
	two, g := r.twoRows(), r.guard(ownRowJob())
	tries := 0
	act := func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		var n int
		err := errors.Join(r.book(ctx, tx, op), tx.QueryRowContext(ctx, "SELECT n FROM "+two+" WHERE k = 1").Scan(&n))
		if tries++; tries > 1 || err != nil {
			return err
		}
		r.exec("UPDATE " + two + " SET n = n + 1 WHERE k = 1")
		_, err = tx.ExecContext(ctx, "UPDATE "+two+" SET n = 0 WHERE k = 1")
		_ = r.wantCode("1020", err, "1020")
		return nil // swallowed
	}
	res, err := g.RunTx(context.Background(), delivery("k"), act)
	if !errors.Is(err, ErrNotCommitted) || res.Acknowledge() {
		t.Errorf("%+v, %v", res, err)
	}
	r.wantBooked("k", 0, 0)
	r.wantOutcome(r.runTxWith(g, "k", act), Completed, true)
	r.wantBooked("k", 1, 1)
}
