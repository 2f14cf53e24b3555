package twiceproof

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// partitioned gives a rig whose table is partitioned by job type, without a partition
// for this job's.
func partitioned(t *testing.T, d Dialect) *rig {
	t.Helper()
	made := newRig(t, databaseOf(d))
	r := newRigOn(t, &rig{d: made.d, dsn: made.dsn, table: fmt.Sprintf("partitioned_%d", tables.Add(1))})
	schema := statements(d, r.table).Schema
	body := schema[:strings.LastIndex(schema, ")")+1]
	if d == Postgres {
		body = schema[:strings.LastIndex(schema, " WITH (")] // a partitioned table has no fillfactor
		r.exec(body + " PARTITION BY LIST (job_type)")
		r.exec("CREATE TABLE " + r.table + "_mail PARTITION OF " + r.table + " FOR VALUES IN ('mail_order')")
	} else {
		r.exec(body + " ENGINE = InnoDB PARTITION BY LIST COLUMNS (job_type) (PARTITION mail VALUES IN ('mail_order'))")
	}
	r.exec("CREATE TABLE " + r.bookings() + " (k text NOT NULL)")
	return r
}

// addPartition makes the missing one.
func (r *rig) addPartition() {
	r.t.Helper()
	if r.d.dialect == Postgres {
		r.exec("CREATE TABLE " + r.table + "_charge PARTITION OF " + r.table + " FOR VALUES IN ('charge_order')")
		return
	}
	r.exec("ALTER TABLE " + r.table + " ADD PARTITION (PARTITION charge VALUES IN ('charge_order'))")
}

// A partitioned table without a partition for the record: loud, nothing is acted, and it
// works as soon as there is one.
func TestMissingPartition(t *testing.T) {
	for _, d := range []Dialect{Postgres, MySQL} {
		t.Run(string(d), func(t *testing.T) {
			r := partitioned(t, d)
			r.wantLoud("no partition")
			r.addPartition()
			for range 2 {
				r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
				r.wantOutcome(r.runTx(r.guard(ownRowJob()), "row"), Completed, true)
			}
			r.wantEffects("k", 1)
			r.wantBooked("row", 1, 1)
		})
	}
}

// The control: an insert that ignores its errors stores nothing there and says nothing.
func TestMissingPartitionControl(t *testing.T) {
	r := partitioned(t, MySQL)
	g := r.guard(holdJob())
	c, err := g.prepare(delivery("k"))
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(strings.Replace(g.records.sql.Claim, "INSERT INTO", "INSERT IGNORE INTO", 1), "ON DUPLICATE")
	s := g.records.statement(text, g.records.claimArgs(c)...)
	if _, err := r.plain.ExecContext(context.Background(), s.SQL, s.Args...); err != nil || r.rows() != 0 {
		t.Errorf("%d records, %v", r.rows(), err)
	}
}

// A row that the table refuses for another reason than its key is no repeat.
func TestRefusedRowIsNoRepeat(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		switch r.d.dialect {
		case SQLite:
			r.exec("DROP TABLE " + r.table)
			r.exec(strings.Replace(statements(SQLite, r.table).Schema, tableKey, tableKey+", CHECK (claimed_by <> 'w')", 1))
		default:
			r.exec("ALTER TABLE " + r.table + " ADD CONSTRAINT " + r.table + "_w CHECK (claimed_by <> 'w')")
		}
		r.wantLoud("another CHECK")
	})
}

// A row that is swallowed without an error, as a trigger can do it: the guard has read no
// record, so nothing is taken for done, and the message is put back.
func TestSwallowedRowIsNoRepeat(t *testing.T) {
	for _, d := range []Dialect{Postgres, SQLite} {
		t.Run(string(d), func(t *testing.T) {
			r := newRig(t, databaseOf(d))
			drop := "DROP TRIGGER " + r.table + "_s"
			if d == Postgres {
				r.exec("CREATE FUNCTION " + r.table + "_swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
				r.exec("CREATE TRIGGER " + r.table + "_s BEFORE INSERT ON " + r.table + " FOR EACH ROW EXECUTE FUNCTION " + r.table + "_swallow()")
				drop += " ON " + r.table
			} else {
				r.exec("CREATE TRIGGER " + r.table + "_s BEFORE INSERT ON " + r.table + " BEGIN SELECT RAISE(IGNORE); END")
			}
			for _, j := range everyPolicy() {
				r.wantOutcome(r.run(r.guard(j), "k"), Live, false)
			}
			r.wantOutcome(r.runTx(r.guard(ownRowJob()), "k"), Live, false)
			if told := r.runBatch(r.guard(holdJob()), r.till.charge, delivery("k"), delivery("l")).outcomes(); told != "live live" {
				t.Error(told)
			}
			r.wantEffects("k", 0)
			r.wantBooked("k", 0, 0)
			r.exec(drop) // the control: it was the trigger
			r.wantOutcome(r.run(r.guard(holdJob()), "k"), Completed, true)
			r.wantEffects("k", 1)
		})
	}
}

// A value of a record, beside its key, that is too long for the server: it is stored, or
// cut where only people read it, or refused; never taken for a repeat.
func TestLongWorkersName(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, n := range []int{255, 256, 70_000} {
			g := r.guard(holdJob())
			g.records.worker = strings.Repeat("é", n)
			key := fmt.Sprint(n)
			res, err := g.Run(context.Background(), delivery(key), r.till.charge)
			if err == nil && (res.Outcome != Completed || res.Repeat) || err != nil && (res.Acknowledge() || r.exists(key)) {
				t.Errorf("%d: %+v, %v", n, res, err)
			}
			r.wantEffects(key, map[bool]int{true: 1}[err == nil])
			if err != nil {
				t.Logf("%d: %v", n, err)
			}
		}
	})
}
