package admin

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The killed process is this test's own binary, with these variables.
const (
	victimDialect = "TWICEPROOF_TEST_PRUNE_DIALECT"
	victimDSN     = "TWICEPROOF_TEST_PRUNE_DSN"
)

// TestPruneVictim is no test: it prunes in a process that is killed, and says after
// each page how far it is.
func TestPruneVictim(t *testing.T) {
	name := os.Getenv(victimDialect)
	if name == "" {
		t.Skip("only as another test's process")
	}
	d := databases[slices.IndexFunc(databases, func(d database) bool { return d.name == name })]
	db, err := sql.Open(d.driver, os.Getenv(victimDSN))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("page 0")
	all, err := openRecords(t, db, d).Prune(t.Context(), PruneOptions{OlderThan: cut, Apply: true, Walk: Walk{Looked: func(n int64) { fmt.Println("page", n) }}})
	fmt.Println("end", all, err)
}

// victim is a pruning process, and the lines it says.
func (r *rig) victim() (*exec.Cmd, *bufio.Scanner) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), os.Args[0], "-test.run=^TestPruneVictim$", "-test.v")
	cmd.Env = append(os.Environ(), victimDialect+"="+r.d.name, victimDSN+"="+r.dsn)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// said waits for a line that is, or begins with, a word; false when the process has
// ended without it.
func said(lines *bufio.Scanner, words string) bool {
	for lines.Scan() {
		if text := lines.Text(); text == words || strings.HasPrefix(text, words+" ") {
			return true
		}
	}
	return false
}

// SIGKILL while it deletes, again and again, at whatever row it is; what it leaves is a
// state from which the next run goes on, and nothing is gone but what is due.
func TestPruneKilled(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		due, evidence, kept := r.mix(20000)
		wants := union(evidence, kept)
		half := 0 // how often a kill came before the end
		for _, after := range []string{"page 0", "page 1000", "page 3000", "page 6000", "page 9000"} {
			cmd, lines := r.victim()
			if !said(lines, after) {
				t.Fatalf("never came to %s: %v", after, lines.Err())
			}
			_ = cmd.Process.Kill()
			if ended := said(lines, "end"); !ended {
				half++
			}
			_ = cmd.Wait()
			left := r.keys()
			for key := range wants {
				if !left[key] {
					t.Fatalf("killed after %s: %s is gone", after, key)
				}
			}
		}
		if half == 0 {
			t.Error("no kill came before the end: nothing was shown")
		}
		done := r.prune(PruneOptions{Apply: true})
		r.wantKeys("in the end", wants)
		if done.Deleted > int64(len(due)) {
			t.Errorf("%+v", done)
		}
	})
}

// Killed in the middle of a page, where a row that is locked stops it: that page is
// whole afterwards, at whichever row it was.
func TestPruneKilledWithinAPage(t *testing.T) {
	for _, d := range databases[:2] { // in SQLite a statement never waits for a row
		t.Run(d.name, func(t *testing.T) {
			r := newRig(t, d)
			due, evidence, kept := r.mix(1000)
			for _, row := range []string{"000000", "000002", "000500", "000996"} {
				tx, err := r.db.BeginTx(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := tx.ExecContext(t.Context(), "UPDATE idempotency_records SET repeats = repeats + 1 WHERE job_type = 'charge' AND operation_key = "+quote(row)); err != nil {
					t.Fatal(err)
				}
				cmd, _ := r.victim()
				r.awaitWaiter()
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				r.awaitNobody()
				if err := tx.Rollback(); err != nil {
					t.Fatal(err)
				}
				r.wantKeys("killed at "+row, union(due, evidence, kept))
			}
			r.prune(PruneOptions{Apply: true})
			r.wantKeys("in the end", union(evidence, kept))
		})
	}
}

// awaitWaiter waits until a DELETE waits for a row.
func (r *rig) awaitWaiter() { r.await(1) }

// awaitNobody waits until the server has noticed that the process is gone.
func (r *rig) awaitNobody() { r.await(0) }

func (r *rig) await(want int) {
	r.t.Helper()
	statement := map[string]string{
		"postgres": "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DELETE%' AND pid <> pg_backend_pid()",
		"mysql":    "SELECT count(*) FROM information_schema.innodb_trx JOIN information_schema.processlist ON id = trx_mysql_thread_id WHERE db = DATABASE() AND trx_state = 'LOCK WAIT'",
	}[r.d.name]
	for end := time.Now().Add(time.Minute); ; {
		var n int
		if err := r.db.QueryRowContext(r.t.Context(), statement).Scan(&n); err != nil {
			r.t.Fatal(err)
		}
		if n == want {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("%d statements wait for a row, not %d", n, want)
		}
		time.Sleep(200 * time.Millisecond) // MariaDB's list is not made anew while it is read more often
	}
}
