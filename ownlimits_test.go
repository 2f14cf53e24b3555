package twiceproof

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/job"
)

// A body's limits in PostgreSQL: the lease, or what the connection has when that is
// stricter. The guard's lock timeout is the claim's alone: the body waits for another's
// lock as it always did.
func TestBodyLimits(t *testing.T) {
	settings := []string{"lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "tcp_user_timeout"}
	for name, c := range map[string]struct {
		dsn          string
		before, want []string
	}{
		"none":     {"", []string{"0", "0", "0", "0"}, []string{"0", "1min", "1min", "60000"}},
		"stricter": {limits("7000"), []string{"7s", "7s", "7s", "7000"}, []string{"7s", "7s", "7s", "7000"}},
		"laxer":    {limits("86400000"), []string{"1d", "1d", "1d", "86400000"}, []string{"1d", "1min", "1min", "60000"}},
	} {
		t.Run(name, func(t *testing.T) {
			made := newRig(t, databaseOf(Postgres))
			made.dsn += c.dsn
			r := newRigOn(t, made)
			r.db.SetMaxOpenConns(1)
			want := func(when string, q interface {
				QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
			}, values []string,
			) {
				for i, setting := range settings {
					var got string
					if err := q.QueryRowContext(context.Background(), "SHOW "+setting).Scan(&got); err != nil || got != values[i] {
						t.Errorf("%s: %s is %s (%v), want %s", when, setting, got, err, values[i])
					}
				}
			}
			want("before", r.db, c.before)
			r.runTxWith(r.guard(ownRowJob()), "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				want("within", tx, c.want)
				return r.book(ctx, tx, op)
			})
			want("after", r.db, c.before)
		})
	}
}

// limits are all four of a connection.
func limits(milliseconds string) string {
	return "&lock_timeout=" + milliseconds + "&statement_timeout=" + milliseconds +
		"&idle_in_transaction_session_timeout=" + milliseconds + "&tcp_user_timeout=" + milliseconds
}

// A stricter limit still ends what the body does, long before its lease.
func TestBodyStricterLimit(t *testing.T) {
	made := newRig(t, databaseOf(Postgres))
	made.dsn += "&statement_timeout=300"
	r := newRigOn(t, made)
	res := r.runTxWith(r.guard(ownRowJob()), "k", func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		_, err := tx.ExecContext(ctx, "SELECT pg_sleep(5)")
		_ = r.wantCode("57014", err, "57014")
		return err
	})
	r.wantOutcome(res, Released, false)
	r.wantBooked("k", 0, 0)
}

// No database's limit takes a lease of any length: PostgreSQL's end at 24.8 days,
// MariaDB's at a year.
func TestLongLease(t *testing.T) {
	test := func(t *testing.T, r *rig) {
		const day = 24 * time.Hour
		for name, long := range map[string]time.Duration{"25 days": 25 * day, "two years": 730 * day} {
			for _, j := range []job.Job{ownRowJob(), lookupJob()} {
				j.Lease = long
				key := name + string(j.Effect.Kind)
				for repeat := range 2 {
					res, err := r.deliverAny(j, key)
					if err != nil || res.Outcome != Completed || res.Repeat != (repeat == 1) {
						t.Errorf("%s: %+v, %v", key, res, err)
					}
				}
			}
			r.wantBooked(name+string(job.OwnRow), 1, 1)
			r.wantEffects(name+string(job.Outside), 1)
		}
	}
	onEach(t, test)
	t.Run("mysql, strict", func(t *testing.T) {
		test(t, mysqlRig(t, func(c *mysql.Config) { c.Params["sql_mode"] = "'STRICT_ALL_TABLES'" }))
	})
}

// deliverAny delivers by the verb of the job's effect.
func (r *rig) deliverAny(j job.Job, key string) (Result, error) {
	g := r.guard(j)
	if j.Effect.Kind == job.OwnRow {
		return g.RunTx(context.Background(), delivery(key), r.book)
	}
	return g.Run(context.Background(), delivery(key), r.till.charge)
}
