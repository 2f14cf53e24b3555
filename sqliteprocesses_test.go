package twiceproof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

const shareEnv = "TWICEPROOF_TEST_SHARE"

// share is what one of several processes is to deliver: its own keys and one that all
// deliver, as an outside effect and as a row.
type share struct {
	DSN        string
	From, Till int
	// BusyCommit: COMMIT may answer that a reader is in the way, which is an error of
	// RunTx, and the message comes again.
	BusyCommit bool
}

// TestShareChild is one of the processes. Its effects are rows that it adds by itself,
// so that they can be counted by another process.
func TestShareChild(t *testing.T) {
	var s share
	asChild(t, shareEnv, &s)
	r := newRigOn(t, &rig{d: databaseOf(SQLite), dsn: s.DSN, table: dialect.Table})
	r.faults.onRefusal = func(_ string, err error) {
		if dialect.Busy(err) {
			fmt.Println("locked") // which the guard sends again
		}
	}
	own, outside := r.guard(ownRowJob()), r.guard(holdJob())
	act := func(_ context.Context, op *Operation) error {
		fmt.Printf("effect %s\n", op.Key)
		return nil
	}
	for n := s.From; n <= s.Till; n++ {
		key := fmt.Sprintf("key %d", n)
		if n == s.Till {
			key = "shared"
		}
		if res, err := outside.Run(context.Background(), delivery(key), act); err != nil {
			t.Errorf("%s: %+v, %v", key, res, err)
		}
		r.untilDone("row "+key, own, func(g *Guard, key string) (Result, error) {
			res, err := g.RunTx(context.Background(), delivery(key), r.book)
			if s.BusyCommit && err != nil && dialect.Busy(err) && !res.Acknowledge() {
				res, err = Result{Outcome: Live}, nil
			}
			if err == nil && res.Outcome == Live {
				time.Sleep(20 * time.Millisecond) // the queue would put it back for longer
			}
			return res, err
		})
	}
}

// Several processes, each with its share of the keys and with one that all have: one
// effect for each key, and "database is locked" does not reach the job, whether or not
// the connection waits for the writer by itself, and while somebody reads for long. One
// exception: an own row in a rollback journal needs a busy timeout for its COMMIT.
func TestSQLiteProcesses(t *testing.T) {
	for _, c := range []struct {
		name string
		dsn  func(testing.TB, ...string) string
		wait bool
	}{
		{"wal, driver's defaults", testdb.SQLite, false},
		{"wal, with a busy timeout", testdb.SQLite, true},
		{"rollback journal, driver's defaults", testdb.SQLiteRollback, false},
		{"rollback journal, with a busy timeout", testdb.SQLiteRollback, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRigAt(t, databaseOf(SQLite), c.dsn(t)+noSync, dialect.Table)
			dsn := r.dsn
			if !c.wait {
				dsn = strings.Replace(dsn, "_pragma=busy_timeout(5000)&", "", 1)
			}
			release := readLong(t, r, strings.HasPrefix(c.name, "wal"))
			processes, keys := full(3, 20), full(30, 500)
			out := processesOn(t, share{DSN: dsn, BusyCommit: !c.wait && strings.HasPrefix(c.name, "rollback")}, processes, keys)
			release()
			effects := map[string]int{}
			locked := strings.Count(out, "locked\n")
			t.Logf("the database was locked %d times", locked)
			if locked == 0 && !c.wait && full(0, 1) == 1 {
				t.Error("the processes never met")
			}
			for line := range strings.Lines(out) {
				if key, is := strings.CutPrefix(line, "effect "); is {
					effects[strings.TrimSpace(key)]++
				}
			}
			for _, key := range everyKey(processes, keys) {
				if effects[key] != 1 || r.booked("row "+key) != 1 {
					t.Errorf("%s: %d effects and %d rows", key, effects[key], r.booked("row "+key))
				}
			}
		})
	}
}

func everyKey(processes, keys int) []string {
	all := []string{"shared"}
	for n := range keys / processes * processes {
		all = append(all, fmt.Sprintf("key %d", n))
	}
	return all
}

// readLong has a reader open: in WAL all the time. A rollback journal's writers cannot
// commit meanwhile, so there it reads again and again.
func readLong(t *testing.T, r *rig, always bool) (release func()) {
	t.Helper()
	db := r.open()
	over, done := make(chan struct{}), make(chan struct{})
	read := func() (end func()) {
		tx, err := db.BeginTx(context.Background(), nil)
		if err != nil {
			t.Error(err)
			return func() {}
		}
		var n int
		if err := tx.QueryRowContext(context.Background(), "SELECT count(*) FROM "+r.table).Scan(&n); err != nil {
			t.Error(err)
		}
		return func() { _ = tx.Rollback() }
	}
	if always {
		return read()
	}
	go func() {
		defer close(done)
		for {
			end := read()
			select {
			case <-over:
				end()
				return
			case <-time.After(100 * time.Millisecond):
				end()
			}
			time.Sleep(300 * time.Millisecond)
		}
	}()
	return func() { close(over); <-done }
}

// processesOn runs them and gives what they printed.
func processesOn(t *testing.T, s share, processes, keys int) string {
	t.Helper()
	each := keys / processes
	outs := make(chan string, processes)
	for i := range processes {
		s.From, s.Till = i*each, (i+1)*each
		text, _ := json.Marshal(s)
		cmd := exec.CommandContext(context.Background(), os.Args[0], "-test.run=^TestShareChild$")
		cmd.Env = append(os.Environ(), shareEnv+"="+string(text))
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("process %d: %v\n%.3000s", i, err, out)
			}
			outs <- string(out)
		}()
	}
	var all strings.Builder
	for range processes {
		all.WriteString(<-outs)
	}
	return all.String()
}
