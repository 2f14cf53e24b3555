package twiceproof

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/job"
)

// crews are workers with a connection each, on every database and isolation.
func crews(t *testing.T, test func(t *testing.T, r *rig, crew []*sql.DB)) {
	t.Helper()
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run("postgres "+level, func(t *testing.T) {
			t.Parallel()
			made := newRig(t, databaseOf(Postgres))
			made.dsn += "&default_transaction_isolation=" + url.PathEscape(level)
			r := newRigOn(t, made)
			if got := show(t, r, "SHOW transaction_isolation"); got != level {
				t.Fatalf("isolation %s", got)
			}
			test(t, r, crew(r))
		})
	}
	for name, isolation := range map[string]string{"mysql": "0", "mysql snapshot isolation": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mysqlRig(t, func(c *mysql.Config) { c.Params["innodb_snapshot_isolation"] = isolation })
			if got := show(t, r, "SELECT @@innodb_snapshot_isolation"); got != isolation {
				t.Fatalf("snapshot isolation %s", got)
			}
			test(t, r, crew(r))
		})
	}
	for journal, dsn := range map[string]func(testing.TB, ...string) string{"wal": testdb.SQLite, "delete": testdb.SQLiteRollback} {
		t.Run("sqlite "+journal, func(t *testing.T) {
			t.Parallel()
			r := newRigAt(t, databaseOf(SQLite), dsn(t)+noSync, dialect.Table)
			if got := show(t, r, "PRAGMA journal_mode"); got != journal {
				t.Fatalf("journal mode %s", got)
			}
			test(t, r, crew(r))
		})
	}
}

func show(t *testing.T, r *rig, query string) (value string) {
	t.Helper()
	if err := r.plain.QueryRowContext(context.Background(), query).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

const crewSize = 32

func crew(r *rig) []*sql.DB {
	all := make([]*sql.DB, crewSize)
	for i := range all {
		all[i] = r.open()
		all[i].SetMaxOpenConns(1)
	}
	return all
}

// sizes are the rounds: how many workers meet on one key, and how often.
var sizes = map[Dialect][]struct{ workers, rounds int }{
	Postgres: {{2, 60}, {8, 20}, {crewSize, 6}},
	MySQL:    {{2, 30}, {8, 10}, {crewSize, 3}},
	SQLite:   {{2, 50}, {8, 10}, {crewSize, 2}},
}

// meet lets the workers deliver one key at once and gives what each was told.
func meet(t *testing.T, r *rig, crew []*sql.DB, j job.Job, key string, act Act) []Result {
	t.Helper()
	results := make([]Result, len(crew))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, db := range crew {
		g := r.guardOn(db, j)
		all.Go(func() {
			<-start
			res, err := g.Run(context.Background(), delivery(key), act)
			if err != nil {
				t.Errorf("%s: %v", key, err)
			}
			results[i] = res
		})
	}
	close(start)
	all.Wait()
	return results
}

func rounds(t *testing.T, r *rig, crew []*sql.DB, round func(crew []*sql.DB, key string)) {
	t.Helper()
	for _, s := range sizes[r.d.dialect] {
		for n := range s.rounds {
			round(crew[:s.workers], fmt.Sprintf("%d of %d", n, s.workers))
		}
	}
}

func tally(results []Result) map[Outcome]int {
	n := map[Outcome]int{}
	for _, res := range results {
		n[res.Outcome]++
	}
	return n
}

func TestOneActs(t *testing.T) {
	crews(t, func(t *testing.T, r *rig, crew []*sql.DB) {
		contended := 0
		rounds(t, r, crew, func(crew []*sql.DB, key string) {
			results := meet(t, r, crew, holdJob(), key, r.till.charge)
			n, own := tally(results), 0
			for _, res := range results {
				if res.Outcome == Completed && !res.Repeat {
					own++
				}
			}
			if own != 1 || n[Completed]+n[Live] != len(crew) {
				t.Errorf("%s: %d acted, %v", key, own, n)
			}
			contended += n[Live]
			r.wantEffects(key, 1)
		})
		if contended == 0 {
			t.Error("the workers never met")
		}
	})
}

// While the one that took over is in its body, nobody else is.
func TestOneTakesOver(t *testing.T) {
	crews(t, func(t *testing.T, r *rig, crew []*sql.DB) {
		rounds(t, r, crew, func(crew []*sql.DB, key string) {
			r.vanish(r.guardOn(r.plain, lookupJob()), key, false)
			r.stale(key)
			looked := r.till.lookUps()
			n := tally(meet(t, r, crew, lookupJob(), key, r.till.charge))
			if n[Completed] < 1 || n[Completed]+n[Live] != len(crew) || r.till.lookUps() != looked+1 {
				t.Errorf("%s: %v, %d look-ups", key, n, r.till.lookUps()-looked)
			}
			r.wantRecord(key, "state=completed acts=2 vanished=1 late_finish_at=null")
			r.wantEffects(key, 1)
		})
	})
}

func TestOneHolds(t *testing.T) {
	crews(t, func(t *testing.T, r *rig, crew []*sql.DB) {
		rounds(t, r, crew, func(crew []*sql.DB, key string) {
			a := r.vanish(r.guardOn(r.plain, holdJob()), key, true)
			r.stale(key)
			if n := tally(meet(t, r, crew, holdJob(), key, r.till.charge)); n[Held] != len(crew) {
				t.Errorf("%s: %v", key, n)
			}
			if r.token(key) != a.token {
				t.Errorf("%s: the token changed", key)
			}
			r.wantEffects(key, 1)
		})
	})
}
