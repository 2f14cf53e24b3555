package admin

import (
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
)

// Two runs at once, and a worker's own writes between them.
func TestPruneTwoAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		_, evidence, kept := r.mix(8000)
		var running sync.WaitGroup
		for range 2 {
			records := openRecords(t, openDB(t, r.d, r.dsn), r.d)
			running.Go(func() {
				all, err := records.Prune(t.Context(), PruneOptions{OlderThan: cut, Apply: true})
				if err != nil || all[0].Left != 0 {
					t.Errorf("%+v, %v", all, err)
				}
			})
		}
		running.Wait()
		r.wantKeys("two at once", union(evidence, kept))
	})
}

// While a page is being deleted a worker can insert its claim between two of its keys.
// In MySQL's usual isolation it could not: the control.
func TestPruneLocksNoGap(t *testing.T) {
	for _, d := range databases[:2] { // in SQLite there is one writer
		for _, isolation := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead} {
			t.Run(d.name+" "+isolation.String(), func(t *testing.T) {
				r := newRig(t, d)
				r.mix(100)
				p := pruning{Records: r.Records, PruneOptions: PruneOptions{OlderThan: cut, Apply: true}}
				if err := p.connect(t.Context()); err != nil {
					t.Fatal(err)
				}
				defer p.disconnect()
				tx, err := p.begin(t.Context())
				if isolation != sql.LevelReadCommitted && err == nil {
					_ = tx.Rollback()
					tx, err = r.db.BeginTx(t.Context(), &sql.TxOptions{Isolation: isolation})
				}
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = tx.Rollback() }()
				statement, args := r.bind(r.sql.Prune, []any{"charge", "000000", "000099", cut.Milliseconds(), 0})
				if _, err := tx.ExecContext(t.Context(), statement, args...); err != nil {
					t.Fatal(err)
				}
				worker, err := r.db.Conn(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer worker.Close()
				if d.name == "mysql" {
					if _, err := worker.ExecContext(t.Context(), "SET innodb_lock_wait_timeout = 0"); err != nil {
						t.Fatal(err)
					}
				}
				_, err = worker.ExecContext(t.Context(), "INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) "+
					"VALUES ('charge', '0000505', 'claimed', "+quote(strings.Repeat("f", 32))+", "+r.ago(0)+", 1, "+r.ago(0)+")")
				if blocked := err != nil; blocked != (d.name == "mysql" && isolation == sql.LevelRepeatableRead) {
					t.Errorf("insert: %v", err)
				}
			})
		}
	}
}

// What somebody else holds on to is left and told, the other pages are done, and the
// next run takes it.
func TestPruneLeavesWhatIsLocked(t *testing.T) {
	for _, d := range databases[:2] { // in SQLite there is one writer
		t.Run(d.name, func(t *testing.T) {
			r := newRig(t, d)
			_, evidence, kept := r.mix(3000)
			tx, err := openDB(t, d, r.dsn).BeginTx(t.Context(), &sql.TxOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback() }()
			if _, err := tx.ExecContext(t.Context(), "UPDATE idempotency_records SET repeats = repeats + 1 WHERE job_type = 'charge' AND operation_key = '001500'"); err != nil {
				t.Fatal(err)
			}
			done := r.prune(PruneOptions{Apply: true})
			if done.Left != 400 || done.Deleted != 800 {
				t.Errorf("%+v", done)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			if done := r.prune(PruneOptions{Apply: true}); done.Left != 0 || done.Deleted != 400 {
				t.Errorf("%+v", done)
			}
			r.wantKeys("in the end", union(evidence, kept))
			// The pool's connections are as they were.
			if d.name == "mysql" {
				var same bool
				if err := r.db.QueryRowContext(t.Context(), "SELECT @@session.innodb_lock_wait_timeout = @@global.innodb_lock_wait_timeout").Scan(&same); err != nil || !same {
					t.Errorf("the connection keeps its patience: %v", err)
				}
			}
		})
	}
}

// A refusal is nobody's lock: it ends the run at once, and says so.
func TestPruneRefused(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		due, evidence, kept := r.mix(5000)
		r.sql.Prune = strings.Replace(r.sql.Prune, "state = 'completed'", "no_such_column = 1", 1)
		all, err := r.Prune(t.Context(), PruneOptions{OlderThan: cut, Apply: true})
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Right || len(all) != 1 || all[0] != (Pruned{JobType: "charge", Evidence: all[0].Evidence}) {
			t.Errorf("%+v, %v", all, err)
		}
		r.wantKeys("refused", union(due, evidence, kept))
	})
}
