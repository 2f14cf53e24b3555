package twiceproof

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// childEnv holds what a worker process of its own is to do.
const childEnv = "TWICEPROOF_TEST_CHILD"

type child struct {
	Dialect Dialect
	DSN     string
	Table   string
	Key     string
	BigRows bool // it is stopped while the server sends to it
}

func shortOwnRowJob() job.Job {
	j := ownRowJob()
	j.Lease, j.LongestRun = time.Second, 100*time.Millisecond
	return j
}

// asChild reads what this process is to do, where another test has started it to do that.
func asChild(t *testing.T, variable string, task any) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Skip("only as the child of another test")
	}
	if err := json.Unmarshal([]byte(text), task); err != nil {
		t.Fatal(err)
	}
}

// TestChild is the worker: it stops inside its body until its input ends.
func TestChild(t *testing.T) {
	var c child
	asChild(t, childEnv, &c)
	r := newRigOn(t, &rig{d: databaseOf(c.Dialect), dsn: c.DSN, table: c.Table})
	res, err := r.guardOn(r.plain, shortOwnRowJob()).RunTx(context.Background(), delivery(c.Key), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
		if err := r.book(ctx, tx, op); err != nil {
			return err
		}
		if c.BigRows { // not read: the server fills the connection and waits
			rows, err := tx.QueryContext(ctx, map[Dialect]string{
				Postgres: "SELECT repeat('x', 1000) FROM generate_series(1, 100000)",
				MySQL:    "SELECT repeat('x', 1000) FROM seq_1_to_100000",
			}[c.Dialect])
			if err != nil {
				return err
			}
			defer func() { _ = rows.Close() }()
			if !rows.Next() {
				return rows.Err()
			}
		}
		os.Stdout.WriteString("inside\n")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
	os.Stdout.WriteString("end " + string(res.Outcome) + "\n")
	if err == nil && res.Outcome == Completed {
		t.Error("completed after its lease")
	}
}

// process starts the worker and returns when it is inside its body.
func (r *rig) process(c child) (cmd *exec.Cmd, wake io.WriteCloser, out *bufio.Scanner) {
	r.t.Helper()
	cmd, wake, out = r.start("TestChild", c)
	r.expect(out, "inside")
	return cmd, wake, out
}

// start runs a test in a process of its own, on this rig's database.
func (r *rig) start(test string, c child) (cmd *exec.Cmd, wake io.WriteCloser, out *bufio.Scanner) {
	r.t.Helper()
	c.Dialect, c.DSN, c.Table = r.d.dialect, r.dsn, r.table
	text, _ := json.Marshal(c)
	cmd = exec.CommandContext(context.Background(), os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	wake, _ = cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, wake, bufio.NewScanner(stdout)
}

func (r *rig) expect(out *bufio.Scanner, line string) string {
	r.t.Helper()
	var seen []string
	for out.Scan() {
		if seen = append(seen, out.Text()); strings.HasPrefix(out.Text(), line) {
			return out.Text()
		}
	}
	r.t.Fatalf("no %q in %q", line, seen)
	return ""
}

// A worker that is stopped inside its body loses its transaction when its lease is
// over, also while the server was sending to it; the next delivery acts, and the
// worker that wakes up cannot commit.
func TestStoppedWorker(t *testing.T) {
	for key, c := range map[string]struct {
		on  Dialect
		big bool
	}{
		// The advisory lock knows the database, not the table: two keys.
		"idle": {Postgres, false}, "reading a big result": {Postgres, true},
		"idle, MySQL": {MySQL, false}, "reading a big result, MySQL": {MySQL, true},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, databaseOf(c.on))
			g := r.guard(shortOwnRowJob())
			cmd, wake, out := r.process(child{Key: key, BigRows: c.big})
			stopped := time.Now()
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			r.awaitFree(key) // blocks until the server has ended the transaction
			took := time.Since(stopped)
			if took > time.Minute { // without a limit of its own the server keeps it for hours
				t.Errorf("with a lease of %s the transaction ended after %s", g.job.Lease, took)
			}
			r.wantBooked(key, 0, 0)
			r.wantOutcome(r.runTx(g, key), Completed, true)
			r.wantBooked(key, 1, 1)
			_ = cmd.Process.Signal(syscall.SIGCONT)
			_ = wake.Close()
			r.expect(out, "end ")
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			r.wantBooked(key, 1, 1)
		})
	}
}

// SQLite has no such timer: every key waits until the stopped worker is killed.
func TestStoppedWriterInSQLite(t *testing.T) {
	made := newRig(t, databaseOf(SQLite))
	r := impatient(made)
	g := r.guard(ownRowJob())
	cmd, _, _ := r.process(child{Key: "k"})
	_ = cmd.Process.Signal(syscall.SIGSTOP)
	for _, key := range []string{"k", "another"} {
		r.wantOutcome(r.runTx(g, key), Live, false)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	r.wantBooked("k", 0, 0)
	for _, key := range []string{"k", "another"} {
		r.wantOutcome(r.runTx(g, key), Completed, true)
		r.wantBooked(key, 1, 1)
	}
}
