package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangsInChild says on the FIFO in its folder that it is there, and hangs, and so does
// a child of it. Both keep the FIFO open for as long as they live.
const hangsInChild = `exec >"$FIFO"; sleep 1000 & echo "there $$ $!"; wait`

// A SIGKILL of a command leaves nothing of what it has started: neither an application's
// loader nor what that has started, nor a worker, a build, or a part of one.
func TestKilledLeavesNothing(t *testing.T) {
	for name, args := range map[string][]string{
		"a Celery application":      {"doctor", "--celery", "app", "--python", "./hangs"},
		"a Sidekiq application":     {"doctor", "--sidekiq", "app.rb", "--ruby", "./hangs"},
		"a worker":                  {"replay", "--only", "old/sequential", "worker"},
		"a worker of several parts": {"replay", "--only", "old/sequential", "parts"},
		"a build":                   {"replay", "--only", "old/sequential", "build"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := killedFolder(t)
			cmd := exec.CommandContext(t.Context(), "twiceproof", args...)
			cmd.Dir = folder
			cmd.Env = append(os.Environ(), "FIFO="+filepath.Join(folder, "fifo"), "TMPDIR="+folder, "PWD="+folder)
			cmd.Stderr = &strings.Builder{}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			left := whoIsThere(t, filepath.Join(folder, "fifo"))
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
				t.Errorf("%v: %s", err, cmd.Stderr)
			}
			select {
			case <-left:
			case <-time.After(time.Minute):
				t.Error("something that it had started is still there")
			}
		})
	}
}

// killedFolder has jobs whose worker, or whose build, hangs.
func killedFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "hangs"), "#!/bin/sh\n"+hangsInChild+"\n")
	if err := os.Chmod(filepath.Join(folder, "hangs"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	for job, run := range map[string]string{
		"worker": `{run: "../hangs"}`, "parts": `{run: ":; ../hangs; :"}`, "build": `{build: ":; ../hangs; :", run: "true"}`,
	} {
		to := filepath.Join(folder, job)
		if err := os.CopyFS(to, os.DirFS("testdata/job")); err != nil {
			t.Fatal(err)
		}
		schema, err := os.ReadFile("../../examples/sqs-charge/schema.sqlite.sql")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(to, "schema.sql"), string(schema))
		replaced(t, filepath.Join(to, "twiceproof.replay.yaml"), `{run: '"$WORKERS/old"'}`, run)
	}
	return folder
}

// whoIsThere waits until both say so on the FIFO, and gives what is closed when
// neither has it any more. The test's end ends them in any case.
func whoIsThere(t *testing.T, fifo string) <-chan struct{} {
	t.Helper()
	file, err := os.Open(fifo) // waits for somebody who writes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	lines := bufio.NewReader(file)
	said, err := lines.ReadString('\n')
	numbers := strings.Fields(said)
	if err != nil || len(numbers) != 3 {
		t.Fatalf("%q, %v", said, err)
	}
	t.Cleanup(func() { _ = exec.Command("kill", append([]string{"-KILL"}, numbers[1:]...)...).Run() })
	left := make(chan struct{})
	go func() {
		defer close(left)
		_, _ = io.Copy(io.Discard, lines)
	}()
	return left
}
