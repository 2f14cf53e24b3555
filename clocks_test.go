package twiceproof

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/job"
)

// clocks is how the statements ask for the time.
var clocks = map[Dialect]string{
	Postgres: "statement_timestamp()", MySQL: "UTC_TIMESTAMP(6)", SQLite: "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)",
}

// byClock makes a guard believe another clock than the database's, in those statements.
func (r *rig) byClock(g *Guard, now string, texts ...*string) *Guard {
	r.t.Helper()
	for _, text := range texts {
		before := *text
		if *text = strings.ReplaceAll(before, clocks[r.d.dialect], now); *text == before {
			r.t.Fatalf("there is no clock in %s", before)
		}
	}
	return g
}

// In the bubble it is the year 2000, so these workers' clocks are decades behind the
// database's; and from one delivery to the next they go on by ten minutes, ten leases,
// while the database's stands still. The claim is live until the database says that it
// is not, and stale as soon as it says so.
func TestWorkersClocksAreApart(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		if r.d.dialect == SQLite {
			t.Skip("its clock is the worker's own machine's; so is the file")
		}
		for _, j := range everyPolicy() {
			key := string(j.Stale.Policy)
			a := r.vanish(r.guard(j), key, false)
			for range 3 {
				time.Sleep(10 * time.Minute) // a worker with a faster clock
				r.wantOutcome(r.run(r.guard(j), key), Live, false)
			}
			if r.token(key) != a.token {
				t.Errorf("%s: the token changed", key)
			}
			r.wantEffects(key, 0)
			r.stale(key) // no worker's clock goes on
			if res := r.run(r.guard(j), key); res.Outcome == Live {
				t.Errorf("%s: %+v after the lease", key, res)
			}
		}
	})
}

// The controls: a claim dated by a clock that is ten minutes slow, or judged by one that
// is ten minutes fast, is stolen from a worker that is alive.
func TestWorkersClocksAreApartControl(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		slow, plain := r.guard(lookupJob()), r.guard(lookupJob())
		r.byClock(slow, r.ago(10*time.Minute), &slow.records.sql.Claim)
		fast := r.guard(lookupJob())
		q := &fast.records.sql
		clocked := []*string{&q.Read, &q.TakeOver}
		if r.d.dialect != SQLite {
			clocked = append(clocked, &q.Claim)
		}
		r.byClock(fast, r.ago(-10*time.Minute), clocked...)
		for name, c := range map[string]struct{ first, second *Guard }{"slow": {slow, plain}, "fast": {plain, fast}} {
			r.vanish(c.first, name, false)
			r.wantOutcome(r.run(c.second, name), Completed, true)
			r.wantEffects(name, 1)
			r.wantRecord(name, "vanished=1 acts=2")
		}
		r.vanish(plain, "right", false)
		r.wantOutcome(r.run(plain, "right"), Live, false)
	})
}

// Workers whose sessions are in other time zones, one of them with a summer time, agree.
func TestSessionsInOtherTimeZones(t *testing.T) {
	zones := map[Dialect][]func(made *rig) string{
		Postgres: {
			func(made *rig) string { return made.dsn + "&timezone=Pacific/Auckland" },
			func(made *rig) string { return made.dsn + "&timezone=America/New_York" },
		},
		MySQL: {
			func(made *rig) string { return inZone(t, made.dsn, "+13:00") },
			func(made *rig) string { return inZone(t, made.dsn, "-11:00") },
		},
	}
	for _, d := range []database{databaseOf(Postgres), databaseOf(MySQL)} {
		t.Run(d.name, func(t *testing.T) {
			made := newRig(t, d)
			var guards []*Guard
			for _, at := range zones[d.dialect] {
				guards = append(guards, newRigOn(t, &rig{d: d, dsn: at(made), table: made.table}).guard(holdJob()))
			}
			for i, first := range guards {
				second, key := guards[1-i], first.job.Type+string(rune('a'+i))
				made.vanish(first, key, false)
				made.wantOutcome(made.run(second, key), Live, false)
				made.age(key, lease-time.Second*5)
				made.wantOutcome(made.run(second, key), Live, false)
				made.age(key, 5*time.Second)
				made.wantOutcome(made.run(second, key), Held, true)
			}
		})
	}
}

func inZone(t *testing.T, dsn, zone string) string {
	t.Helper()
	return mysqlChanged(t, dsn, func(c *mysql.Config) { c.Params["time_zone"] = "'" + zone + "'" })
}

// A step of the database's clock, as a claim that becomes so much older or younger.
// Within the lease it steals nothing. Backwards the claim is good for longer, never
// shorter.
func TestDatabaseClockStepsDuringTheAct(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			long := j
			long.Lease, long.Stale.ReferenceWindow = 10*time.Minute, 3*j.Stale.ReferenceWindow
			for name, c := range map[string]struct {
				job  job.Job
				step time.Duration
			}{"forwards": {long, 5 * time.Minute}, "backwards": {j, -5 * time.Minute}} {
				key, beside := name+" "+string(j.Stale.Policy), r.guardOn(r.plain, c.job)
				res := r.runWith(r.guard(c.job), key, func(ctx context.Context, op *Operation) error {
					r.age(key, c.step)
					r.wantOutcome(r.run(beside, key), Live, false)
					if c.step < 0 { // as long again, by this clock
						r.age(key, c.job.StoredLease())
						r.wantOutcome(r.run(beside, key), Live, false)
					}
					return r.till.charge(ctx, op)
				})
				r.wantOutcome(res, Completed, true)
				r.wantEffects(key, 1)
				r.wantRecord(key, "state=completed completion=acted acts=1 vanished=0 late_finish_at=null")
			}
		}
	})
}

// A step beyond the end of the lease cannot be told from a worker that vanished: the
// policy decides, never a plain second run, and the worker that was alive is on record
// where that could have made a second effect.
func TestDatabaseClockStepsBeyondTheLease(t *testing.T) {
	ends := map[job.Policy]struct {
		beside, own Outcome
		record      string
		effects     int
	}{
		job.Hold:            {Held, Completed, "state=completed completion=acted acts=1 hold_reason=worker_vanished", 1},
		job.Lookup:          {Completed, Lost, "state=completed completion=found acts=1 late_finish_at=set", 1},
		job.Resend:          {Completed, Lost, "state=completed completion=acted acts=2 late_finish_at=set", 2}, // one, at a service that knows the reference
		job.AcceptDuplicate: {Completed, Lost, "state=completed completion=acted acts=2 late_finish_at=set", 2},
		job.AcceptMiss:      {Completed, Completed, "state=completed completion=acted acts=1", 1},
	}
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			key, want := string(j.Stale.Policy), ends[j.Stale.Policy]
			res := r.runWith(r.guard(j), key, func(ctx context.Context, op *Operation) error {
				err := r.till.charge(ctx, op)
				r.age(key, 5*time.Minute)
				r.wantOutcome(r.run(r.guardOn(r.plain, j), key), want.beside, true)
				return err
			})
			if res.Outcome != want.own {
				t.Errorf("%s: %+v", key, res)
			}
			r.wantRecord(key, want.record)
			r.wantEffects(key, want.effects)
		}
	})
}
