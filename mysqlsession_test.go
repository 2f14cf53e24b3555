package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// mysqlRig is a rig on MySQL whose guard connects in another way.
func mysqlRig(t *testing.T, change func(c *mysql.Config)) *rig {
	t.Helper()
	made := newRig(t, databaseOf(MySQL))
	made.dsn = mysqlChanged(t, made.dsn, change)
	return newRigOn(t, made)
}

func mysqlChanged(t testing.TB, dsn string, change func(c *mysql.Config)) string {
	t.Helper()
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if c.Params == nil {
		c.Params = map[string]string{}
	}
	change(c)
	return c.FormatDSN()
}

// wantRefused: by both ways into the guard, and nothing was acted or left.
func (r *rig) wantRefused(name string, want error) {
	r.t.Helper()
	g := r.guard(holdJob())
	res, err := g.Run(context.Background(), delivery("k"), r.till.charge)
	if !errors.Is(err, want) || res.Acknowledge() {
		r.t.Errorf("%s, Run: %+v, %v", name, res, err)
	}
	res, err = r.guard(ownRowJob()).RunTx(context.Background(), delivery("k"), r.book)
	if !errors.Is(err, want) || res.Acknowledge() {
		r.t.Errorf("%s, RunTx: %+v, %v", name, res, err)
	}
	if r.till.total() != 0 || r.rows() != 0 || r.booked("k") != 0 {
		r.t.Errorf("%s: %d effects, %d records, %d rows", name, r.till.total(), r.rows(), r.booked("k"))
	}
	if n := r.faults.timesSent("claim") + r.faults.timesSent("claim_own_row"); n != 0 {
		r.t.Errorf("%s: %d claims were sent", name, n)
	}
}

// Where a statement alone is no transaction, a claim would not be there for anybody
// else while the job acts.
func TestMySQLWithoutAutocommit(t *testing.T) {
	r := mysqlRig(t, func(c *mysql.Config) { c.Params["autocommit"] = "0" })
	r.wantRefused("autocommit=0", errNoAutocommit)

	// The control: a guard that does not look works with it, and its claim is not there.
	g := r.guard(holdJob())
	g.records.mysql.found = &mysqlSession{}
	seen := true
	look := mysqlRigAgain(t, r, func(c *mysql.Config) { delete(c.Params, "autocommit") })
	_, err := g.Run(context.Background(), delivery("k"), func(context.Context, *Operation) error {
		seen = look.exists("k")
		return nil
	})
	if seen {
		t.Errorf("control: the claim was committed (%v)", err)
	}
}

// Who reads what is not committed would take an own row that is rolled back for done.
func TestMySQLReadUncommitted(t *testing.T) {
	r := mysqlRig(t, isolated("READ-UNCOMMITTED"))
	r.wantRefused("read uncommitted", errDirtyReads)

	// The control: a guard that does not look is told so.
	g := r.guard(ownRowJob())
	g.records.mysql.found = &mysqlSession{}
	res := r.runTxWith(r.guardOn(mysqlRigAgain(t, r, isolated("READ-COMMITTED")).db, ownRowJob()), "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		r.wantOutcome(r.runTx(g, "k"), Completed, true)
		return errTill
	})
	r.wantOutcome(res, Released, false)
	r.wantBooked("k", 0, 0)
}

// mysqlRigAgain opens the same table in another way.
func mysqlRigAgain(t *testing.T, r *rig, change func(c *mysql.Config)) *rig {
	t.Helper()
	return newRigOn(t, &rig{d: r.d, dsn: mysqlChanged(t, r.dsn, change), table: r.table})
}

// The table's key is what enforces, so another one will not do.
func TestMySQLWithoutTheKey(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		want   error
	}{
		"none":                       {"DROP PRIMARY KEY", errNoKey},
		"of one column":              {"DROP PRIMARY KEY, ADD PRIMARY KEY (operation_key)", errNoKey},
		"of a third column too":      {"DROP PRIMARY KEY, ADD UNIQUE (job_type, operation_key, claim_token)", errNoKey},
		"not unique":                 {"DROP PRIMARY KEY, ADD INDEX (job_type, operation_key)", errNoKey},
		"of a part of the column":    {"DROP PRIMARY KEY, ADD UNIQUE (job_type, operation_key(4))", errNoKey},
		"unique, in the other order": {"DROP PRIMARY KEY, ADD UNIQUE (operation_key, job_type)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := mysqlRig(t, func(*mysql.Config) {})
			r.exec("ALTER TABLE " + r.table + " " + c.change)
			if c.want != nil {
				r.wantRefused(name, c.want)
				return
			}
			for range 2 {
				r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
			}
			r.wantEffects("k", 1)
		})
	}
}

// On an engine without transactions a claim stays when its own row is rolled back, and a
// redelivery would find it done.
func TestMySQLWithoutTransactions(t *testing.T) {
	r := mysqlRig(t, func(*mysql.Config) {})
	for _, engine := range []string{"MyISAM", "Aria"} {
		r.exec("ALTER TABLE " + r.table + " ENGINE=" + engine)
		r.wantRefused(engine, errNoTransactions)
	}

	// The control: a guard that does not look loses the row.
	g := r.guard(ownRowJob())
	g.records.mysql.found = &mysqlSession{}
	res, err := g.RunTx(context.Background(), delivery("k"), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		return errors.Join(r.book(ctx, tx, op), errTill)
	})
	if res.Outcome == Completed || r.booked("k") != 0 {
		t.Fatalf("control: %+v, %v, %d rows", res, err, r.booked("k"))
	}
	if again, err := g.RunTx(context.Background(), delivery("k"), r.book); !again.Acknowledge() || r.booked("k") != 0 {
		t.Errorf("control: the row was not lost: %+v, %v, %d rows", again, err, r.booked("k"))
	}

	r.exec("ALTER TABLE " + r.table + " ENGINE=InnoDB")
	r.exec("DELETE FROM " + r.table)
	r.wantOutcome(r.runTx(r.guard(ownRowJob()), "k"), Completed, true)
	r.wantBooked("k", 1, 1)
}

// Another unique key beside it makes one operation's claim meet another one's record.
func TestMySQLAnotherUniqueKey(t *testing.T) {
	r := mysqlRig(t, func(*mysql.Config) {})
	r.exec("ALTER TABLE " + r.table + " ADD UNIQUE (operation_key)")
	other, acknowledged := holdJob(), 0
	other.Type = "mail_order"
	for _, j := range []job.Job{holdJob(), other} {
		res, err := r.guard(j).Run(context.Background(), delivery("k"), r.till.charge)
		if err == nil && res.Acknowledge() {
			acknowledged++
		}
		if !errors.Is(err, errNoKey) {
			t.Errorf("%+v, %v", res, err)
		}
	}
	if effects := r.till.count("k"); effects != acknowledged {
		t.Errorf("%d operations acknowledged, %d effects", acknowledged, effects)
	}
}

// A table of another database than the connection's own, or of a connection that has none.
func TestMySQLTableNamedWithItsSchema(t *testing.T) {
	for _, own := range []string{"mysql", ""} {
		made := newRig(t, databaseOf(MySQL))
		in := ""
		made.dsn = mysqlChanged(t, made.dsn, func(c *mysql.Config) { in, c.DBName = c.DBName, own })
		made.table = in + "." + made.table
		r := newRigOn(t, made)
		for range 2 {
			r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
			r.wantOutcome(r.runTx(r.guard(ownRowJob()), "row"), Completed, true)
		}
		r.wantEffects("k", 1)
		r.wantBooked("row", 1, 1)
		r.exec("ALTER TABLE " + r.table + " DROP PRIMARY KEY")
		if _, err := r.guard(holdJob()).Run(context.Background(), delivery("another"), r.till.charge); !errors.Is(err, errNoKey) {
			t.Errorf("without its key: %v", err)
		}
	}
}

const mysqlLimits = "SELECT CONCAT_WS(' ', @@autocommit, @@wait_timeout, @@net_write_timeout, CAST(@@max_statement_time AS SIGNED))"

// The limits of a stopped worker, of which a shorter one in the DSN stays, are the
// transaction's alone, however it ends.
func TestMySQLLimitsAreUndone(t *testing.T) {
	r := mysqlRig(t, func(c *mysql.Config) { c.Params["net_write_timeout"] = "7" })
	r.db.SetMaxOpenConns(1)
	before := show(t, &rig{plain: r.db}, mysqlLimits)
	g := r.guard(ownRowJob())
	for name, end := range map[string]func(cancel func(), tx *sql.Tx) error{
		"fine":        func(func(), *sql.Tx) error { return nil },
		"error":       func(func(), *sql.Tx) error { return errTill },
		"panic":       func(func(), *sql.Tx) error { panic("out of paper") },
		"cancelled":   func(cancel func(), _ *sql.Tx) error { cancel(); return nil },
		"tx.Commit":   func(_ func(), tx *sql.Tx) error { return tx.Commit() },
		"tx.Rollback": func(_ func(), tx *sql.Tx) error { return tx.Rollback() },
	} {
		during := ""
		ctx, cancel := context.WithCancel(context.Background())
		var err error
		outside(func() {
			_, err = g.RunTx(ctx, delivery(name), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				if err := tx.QueryRowContext(ctx, mysqlLimits).Scan(&during); err != nil {
					t.Error(err)
				}
				return errors.Join(r.book(ctx, tx, op), end(cancel, tx))
			})
		})
		cancel()
		if during != "OFF 60 7 60" {
			t.Errorf("%s: %q within the transaction, %v", name, during, err)
		}
		if after := show(t, &rig{plain: r.db}, mysqlLimits); after != before {
			t.Errorf("%s: %q afterwards, %q before", name, after, before)
		}
	}
	r.runTx(g, "again") // an operation that is done already, and a claim that is not made
	r.runTx(g, "again")
	if after := show(t, &rig{plain: r.db}, mysqlLimits); after != before {
		t.Errorf("%q after a repeat, %q before", after, before)
	}
}

// The driver does not connect anew within a transaction: nothing after the cut can be
// taken for a part of it.
func TestMySQLConnectionKilledInTheBody(t *testing.T) {
	for _, interpolated := range []bool{true, false} {
		r := mysqlRig(t, func(c *mysql.Config) { c.InterpolateParams = interpolated })
		g := r.guard(ownRowJob())
		calls := 0
		act := func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			calls++
			if err := r.book(ctx, tx, op); err != nil || calls > 1 {
				return err
			}
			var id string
			if err := tx.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
				t.Fatal(err)
			}
			r.exec("KILL " + id)
			for range 3 { // swallowed
				if err := r.book(ctx, tx, op); err == nil {
					t.Error("a statement went through after the cut")
				}
			}
			return nil
		}
		res, err := g.RunTx(context.Background(), delivery("k"), act)
		if !errors.Is(err, ErrNotCommitted) || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		r.awaitEnd("k")
		r.wantBooked("k", 0, 0)
		r.wantOutcome(r.runTxWith(g, "k", act), Completed, true)
		r.wantBooked("k", 1, 1)
	}
}

// awaitEnd waits until no transaction has the operation, by an insert that waits for it. A
// locking read would not do: while a killed one is rolled back, its row goes before the
// lock on the gap, in which the next claim inserts without waiting.
func (r *rig) awaitEnd(key string) {
	r.t.Helper()
	tx, err := r.plain.BeginTx(context.Background(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = tx.ExecContext(context.Background(), "INSERT INTO "+r.table+` (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at)
		VALUES (?, ?, 'claimed', REPEAT('0', 32), UTC_TIMESTAMP(6), 0, UTC_TIMESTAMP(6))`, ownRowJob().Type, key)
	if number, _ := dialect.MySQLNumber(err); err != nil && number != 1062 { // it is there
		r.t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		r.t.Fatal(err)
	}
}
