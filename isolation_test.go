package twiceproof

import (
	"context"
	"database/sql"
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
func atOnce(t *testing.T, guards []*Guard, key string, deliver func(g *Guard, key string) (Result, error)) (own int, told map[Outcome]int, failed []error) {
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

// claims are the ways to a claim.
func claims(r *rig) map[string]struct {
	guard   func(db *sql.DB) *Guard
	before  func(key string)
	deliver func(g *Guard, key string) (Result, error)
	effects func(key string) int
} {
	type way = struct {
		guard   func(db *sql.DB) *Guard
		before  func(key string)
		deliver func(g *Guard, key string) (Result, error)
		effects func(key string) int
	}
	run := func(g *Guard, key string) (Result, error) {
		return g.Run(context.Background(), delivery(key), r.till.charge)
	}
	return map[string]way{
		"new": {func(db *sql.DB) *Guard { return r.guardOn(db, holdJob()) }, func(string) {}, run, r.till.count},
		"takeover": {func(db *sql.DB) *Guard { return r.guardOn(db, lookupJob()) }, func(key string) {
			r.vanish(r.guardOn(r.plain, lookupJob()), key, false)
			r.stale(key)
		}, run, r.till.count},
		"own row": {func(db *sql.DB) *Guard { return r.guardOn(db, ownRowJob()) }, func(string) {}, func(g *Guard, key string) (Result, error) {
			return g.RunTx(context.Background(), delivery(key), r.book)
		}, r.booked},
	}
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
			for n, few := range map[int]int{2: 5, 8: 2, 32: 1, mostClaimers: 1} {
				for round := range full(few, 1000) {
					key := fmt.Sprintf("%s %d of %d", name, round, n)
					way.before(key)
					own, told, failed := atOnce(t, guards[:n], key, way.deliver)
					if own != 1 || told[Completed]+told[Live] != n || len(failed) != 0 || way.effects(key) != 1 {
						t.Errorf("%s: %d acted, %d effects, %v, %v", key, own, way.effects(key), told, failed)
					}
				}
				t.Logf("%s: %d rounds of %d at once", name, full(few, 1000), n)
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
