//go:build linux

package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newFIFO makes a named pipe. Whoever opens it to write says ready, and every child
// inherits it: its end is the death of the last of them.
func newFIFO(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// givesUp is when a test that waits for an event gives up: no machine is so slow.
const givesUp = 5 * time.Minute

// awaitLine returns when one of the workers has written a line.
func awaitLine(t *testing.T, fifo string) *os.File {
	t.Helper()
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	_ = f.SetReadDeadline(time.Now().Add(givesUp)) // also of whoever reads on
	if _, err := bufio.NewReader(f).ReadString('\n'); err != nil {
		t.Fatalf("no worker came so far: %v", err)
	}
	return f
}

// running are the processes that were started with this variable in their
// environment. A zombie has none.
func running(t *testing.T, variable string) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err == nil && strings.Contains("\x00"+string(environ), "\x00"+variable+"\x00") {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, strings.ReplaceAll(string(name), "\x00", " "))
		}
	}
	return found
}

func TestKillLeavesNothing(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"alone", `echo ready >&3; exec sleep 1000`},
		{"with children", `sleep 1000 & sleep 1000 & echo ready >&3; wait`},
		{"deaf to SIGTERM", `trap '' TERM HUP INT; sleep 1000 & echo ready >&3; wait`},
		{"gone, its child has the output", `sleep 1000 & echo ready >&3`},
		{"a child in a session of its own", `setsid sh -c 'echo ready >&3; exec sleep 1000' & wait`},
		{"a session with children", `setsid sh -c 'sleep 1000 & setsid sleep 1000 & echo ready >&3; wait' & wait`},
		{"a session that has the output, deaf", `setsid sh -c 'trap "" TERM; echo ready >&3; while :; do sleep 1000; done' & sleep 1000`},
		{"children without end", `while :; do sleep 1000 & [ "$said" ] || echo ready >&3; said=1; [ $((n += 1)) -lt 50 ] || wait; done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fifo := newFIFO(t)
			mark := "TWICEPROOF_TEST=" + fifo
			p, err := startProcess("exec 3>'"+fifo+"'; "+c.script, t.TempDir(), append(os.Environ(), mark))
			if err != nil {
				t.Fatal(err)
			}
			f := awaitLine(t, fifo)
			if len(running(t, mark)) == 0 {
				t.Error("the check sees no worker while there is one")
			}
			p.kill()
			if left := running(t, mark); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if _, err := io.Copy(io.Discard, f); err != nil {
				t.Errorf("somebody still has the pipe: %v", err)
			}
			p.kill() // by then the number may be another's
		})
	}
}

func TestInPlace(t *testing.T) {
	for command, want := range map[string]string{
		"./worker -q charges > log":     "exec ./worker -q charges > log",
		"bundle exec sidekiq":           "exec bundle exec sidekiq",
		"\"$WORKERS/new\" --a=b":        "exec \"$WORKERS/new\" --a=b",
		"exec ./worker":                 "exec ./worker",
		"RAILS_ENV=test ./worker":       "RAILS_ENV=test ./worker",
		"cd app && ./worker":            "cd app && ./worker",
		"(cd app; ./worker)":            "(cd app; ./worker)",
		"./worker | tee log":            "./worker | tee log",
		"export A=1\nexec ./worker":     "export A=1\nexec ./worker",
		"  VIRTUAL_ENV=.venv celery -A": "  VIRTUAL_ENV=.venv celery -A",
	} {
		if got := inPlace(command); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The end of a process is seen though a child of it keeps the pipe.
func TestAnEndIsSeenAtOnce(t *testing.T) {
	fifo := newFIFO(t)
	p, err := startProcess("exec 3>'"+fifo+"'; sleep 1000 & echo ready >&3; exit 3", t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	awaitLine(t, fifo)
	<-p.exited
	if got := exitStatus(p.err); got != 3 || p.err == nil {
		t.Errorf("exit status %d, %v", got, p.err)
	}
	select {
	case <-p.silent:
		t.Error("nobody has the pipe: the test shows nothing")
	default:
	}
}

// A command with several parts runs as the shell has it, and its end is the
// command's.
func TestSeveralParts(t *testing.T) {
	for command, status := range map[string]int{"A=7; exit $A": 7, "cd / && exit 3": 3, "A=1 sh -c 'exit $A'": 1, "sh -c 'exit 4'": 4, "true": 0} {
		p, err := startProcess(command, "", os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		<-p.exited
		if got := exitStatus(p.err); got != status {
			t.Errorf("%s: exit status %d, want %d", command, got, status)
		}
	}
}

func exitStatus(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

func TestReadStat(t *testing.T) {
	const rest = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20 0 77 0"
	for _, c := range []struct {
		text string
		want stat
		ok   bool
	}{
		{"9 (sh) S 4 5" + rest, stat{4, 5, "77", false}, true},
		{"9 (a ) R 1 (b) S 4 5" + rest, stat{4, 5, "77", false}, true}, // a name with brackets and spaces
		{"9 (sh) T 4 5" + rest, stat{4, 5, "77", false}, true},
		{"9 (sh) Z 4 5" + rest, stat{4, 5, "77", true}, true},
		{"9 (sh) X 4 5" + rest, stat{4, 5, "77", true}, true},
		{"9 (sh) S x 5" + rest, stat{}, false},
		{"9 (sh) S 4 5", stat{}, false},
		{"9 (sh", stat{}, false},
		{"", stat{}, false},
	} {
		got, ok := readStat(c.text)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: got %+v, %t", c.text, got, ok)
		}
	}
	self, ok := processes()[os.Getpid()]
	if !ok || self.parent != os.Getppid() || self.group != syscall.Getpgrp() {
		t.Errorf("this process is %+v, %t", self, ok)
	}
}

func TestDescendants(t *testing.T) {
	all := map[int]stat{
		1: {0, 1, "a", false}, 10: {1, 10, "b", false}, 11: {10, 10, "c", false}, 12: {11, 12, "d", false}, 13: {12, 13, "e", false}, 14: {1, 14, "f", false},
		15: {1, 10, "g", false}, 16: {15, 16, "h", false}, 17: {1, 17, "i", false}, 18: {17, 17, "j", false},
	}
	tr := tree{group: 10, left: map[int]string{17: "i", 14: "another start"}}
	got := tr.descendants(all)
	for pid := range all {
		_, in := got[pid]
		if want := pid >= 10 && pid != 14; in != want {
			t.Errorf("%d is in the tree: %t, want %t", pid, in, want)
		}
	}
}

// onLinux is a program of the tests that are for Linux alone.
func onLinux(name, argument string) {
	switch name {
	case "fork":
		forkProgram(argument)
		os.Exit(0)
	case "pool":
		pool()
		os.Exit(0)
	case "adopt":
		adopt(argument)
		os.Exit(0)
	case "replay":
		_, err := runHanging(context.Background(), argument)
		fmt.Println("the replay was meant to be killed:", err)
		os.Exit(1)
	}
}

// A replay whose worker hangs in the act.
func runHanging(ctx context.Context, fifo string) (Outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return Outcome{}, err
	}
	r, err := chargeRequest(filepath.Dir(fifo), `version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS}
versions: {old: {run: "`+self+` work '`+fifo+`'"}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: "POST /charges", operation: body.order_id}
timeouts: {ready: 5m, step: 5m, recovery: 5m}
`, "sequential")
	if err != nil {
		return Outcome{}, err
	}
	r.Environ = append(r.Environ, "TWICEPROOF_TEST="+fifo)
	return planAndRun(ctx, r)
}

func TestInterruptedInTheMiddle(t *testing.T) {
	fifo, temp := newFIFO(t), t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := runHanging(ctx, fifo)
		ended <- err
	}()
	f := awaitLine(t, fifo)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Errorf("the worker lives: %v", err)
	}
	if left := running(t, "TWICEPROOF_TEST="+fifo); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

func TestKilledReplayLeavesNoWorker(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fifo := newFIFO(t)
	replay := exec.Command(self, "replay", fifo)
	replay.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	replay.Stderr = os.Stderr
	if err := replay.Start(); err != nil {
		t.Fatal(err)
	}
	f := awaitLine(t, fifo)
	if err := replay.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = replay.Wait()
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Errorf("the worker lives: %v", err)
	}
}
