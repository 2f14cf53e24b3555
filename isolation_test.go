package twiceproof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// onEachIsolation runs a test at every isolation level of every database.
func onEachIsolation(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run("postgres "+level, func(t *testing.T) {
			made := newRig(t, databaseOf(Postgres))
			made.dsn += "&default_transaction_isolation=" + url.PathEscape(level)
			test(t, at(t, made, "SHOW transaction_isolation", level))
		})
	}
	for _, level := range []string{"READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"} {
		t.Run("mysql "+level, func(t *testing.T) {
			test(t, at(t, mysqlRig(t, isolated(level)), "SELECT @@tx_isolation", level))
		})
	}
	t.Run("mysql snapshot isolation", func(t *testing.T) {
		r := mysqlRig(t, func(c *mysql.Config) { c.Params["innodb_snapshot_isolation"] = "1" })
		test(t, at(t, r, "SELECT @@innodb_snapshot_isolation", "1"))
	})
	for journal, dsn := range map[string]func(testing.TB, ...string) string{"wal": testdb.SQLite, "delete": testdb.SQLiteRollback} {
		t.Run("sqlite "+journal, func(t *testing.T) {
			made := newRigAt(t, databaseOf(SQLite), dsn(t)+noSync, dialect.Table)
			test(t, at(t, made, "PRAGMA journal_mode", journal))
		})
	}
}

func isolated(level string) func(c *mysql.Config) {
	return func(c *mysql.Config) { c.Params["tx_isolation"] = "'" + level + "'" } // transaction_isolation in MySQL and MariaDB 11.1
}

func at(t *testing.T, made *rig, query, want string) *rig {
	t.Helper()
	r := newRigOn(t, made)
	if got := show(t, r, query); got != want {
		t.Fatalf("%s answers %s, want %s", query, got, want)
	}
	return r
}

const mostClaimers = 64

// connections are claimers with one connection each, as processes have.
func connections(r *rig, n int) []*sql.DB {
	all := make([]*sql.DB, n)
	for i := range all {
		all[i] = r.open()
		all[i].SetMaxOpenConns(1)
	}
	return all
}

// atOnce lets every guard deliver the key, and counts those that acted themselves.
func atOnce(t testing.TB, guards []*Guard, key string, deliver func(g *Guard, key string) (Result, error)) (own int, told map[Outcome]int, failed []error) {
	t.Helper()
	var mu sync.Mutex
	told = map[Outcome]int{}
	start := make(chan struct{})
	var all sync.WaitGroup
	for _, g := range guards {
		all.Go(func() {
			<-start
			res, err := deliver(g, key)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, err)
				return
			}
			told[res.Outcome]++
			if res.Outcome == Completed && !res.Repeat {
				own++
			}
		})
	}
	close(start)
	all.Wait()
	return own, told, failed
}

// claimWay is one way to a claim.
type claimWay struct {
	guard   func(db *sql.DB) *Guard
	before  func(key string)
	deliver func(g *Guard, key string) (Result, error)
	effects func(key string) int
	meets   bool // the others are told while the first acts
}

// claims are the ways to a claim. SQLite lets nobody look while a transaction writes.
func claims(r *rig) map[string]claimWay {
	m := &meeting{live: make(chan struct{}, 1)}
	run := func(g *Guard, key string) (Result, error) {
		return m.told(g.Run(context.Background(), delivery(key), func(ctx context.Context, op *Operation) error {
			return errors.Join(m.await(ctx), r.till.charge(ctx, op))
		}))
	}
	ownRowMeets := r.d.dialect != SQLite
	return map[string]claimWay{
		"new": {func(db *sql.DB) *Guard { return r.guardOn(db, holdJob()) }, func(string) { m.next() }, run, r.till.count, true},
		"takeover": {func(db *sql.DB) *Guard { return r.guardOn(db, lookupJob()) }, func(key string) {
			m.next()
			r.vanish(r.guardOn(r.plain, lookupJob()), key, false)
			r.stale(key)
		}, run, r.till.count, true},
		"own row": {func(db *sql.DB) *Guard { return r.guardOn(db, ownRowJob()) }, func(string) { m.next() }, func(g *Guard, key string) (Result, error) {
			return m.told(g.RunTx(context.Background(), delivery(key), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
				if !ownRowMeets {
					return r.book(ctx, tx, op)
				}
				return errors.Join(m.await(ctx), r.book(ctx, tx, op))
			}))
		}, r.booked, ownRowMeets},
	}
}

// meeting has the first act wait, every other time, until another delivery was told
// that the claim is live: else the fastest may be done before anybody else looks.
type meeting struct {
	waits bool
	live  chan struct{}
}

// next begins another round.
func (m *meeting) next() {
	m.waits = !m.waits
	select {
	case <-m.live:
	default:
	}
}

func (m *meeting) await(ctx context.Context) error {
	if !m.waits {
		return nil
	}
	select {
	case <-m.live:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *meeting) told(res Result, err error) (Result, error) {
	if res.Outcome == Live {
		select {
		case m.live <- struct{}{}:
		default:
		}
	}
	return res, err
}

// However many claim one key at once, at whatever isolation: one gets it, the others
// are told that it is live or completed, and nobody gets an error.
func TestOneOfManyClaims(t *testing.T) {
	onEachIsolation(t, func(t *testing.T, r *rig) {
		open := connections(r, mostClaimers)
		for name, way := range claims(r) {
			guards := make([]*Guard, len(open))
			for i, db := range open {
				guards[i] = way.guard(db)
			}
			live := 0
			for n, few := range map[int]int{2: 5, 8: 2, 32: 1, mostClaimers: 1} {
				for round := range full(few, 1000) {
					key := fmt.Sprintf("%s %d of %d", name, round, n)
					way.before(key)
					own, told, failed := atOnce(t, guards[:n], key, way.deliver)
					if own != 1 || told[Completed]+told[Live] != n || len(failed) != 0 || way.effects(key) != 1 {
						t.Errorf("%s: %d acted, %d effects, %v, %v", key, own, way.effects(key), told, failed)
					}
					live += told[Live]
				}
				t.Logf("%s: %d rounds of %d at once", name, full(few, 1000), n)
			}
			if live == 0 && way.meets {
				t.Errorf("%s: the claims never met", name)
			}
		}
	})
}

// The control: with a claim that says nothing about a repeat, errors reach the job;
// without the unique key too, several act.
func TestOneOfManyClaimsControl(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		var guards []*Guard
		for _, db := range connections(r, 8) {
			g := r.guardOn(db, holdJob())
			g.records.readFirst = false
			if g.records.mysql != nil {
				g.records.mysql.found = &mysqlSession{}
			}
			text, _, _ := strings.Cut(g.records.sql.Claim, "ON DUPLICATE")
			g.records.sql.Claim = strings.Replace(text, "ON CONFLICT (job_type, operation_key) DO NOTHING", "", 1)
			guards = append(guards, g)
		}
		insert := func(g *Guard, key string) (Result, error) {
			c, err := g.prepare(delivery(key))
			if err != nil {
				return Result{}, err
			}
			s := g.records.statement(g.records.sql.Claim, g.records.claimArgs(c)...)
			_, err = g.records.db.ExecContext(context.Background(), s.SQL, s.Args...)
			return Result{Outcome: Completed}, err
		}
		if own, _, failed := atOnce(t, guards, "k", insert); own != 1 || len(failed) != 7 {
			t.Errorf("with the key: %d claims, %v", own, failed)
		}
		r.dropKey()
		if own, _, failed := atOnce(t, guards, "without", insert); own < 2 {
			t.Errorf("without the key: %d claims, %v", own, failed)
		}
	})
}
