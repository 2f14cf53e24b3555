//go:build linux

// Package processtest is for tests of processes that are really killed: it sees by a named
// pipe and by /proc whether one of them lives.
package processtest

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// NewFIFO makes a named pipe. Whoever opens it to write says ready, and every child
// inherits it: its end is the death of the last of them.
func NewFIFO(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// GivesUp is when a test that waits for an event gives up: no machine is so slow.
const GivesUp = 5 * time.Minute

// AwaitLine returns when one of the workers has written a line.
func AwaitLine(t testing.TB, fifo string) *os.File {
	t.Helper()
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	_ = f.SetReadDeadline(time.Now().Add(GivesUp)) // also of whoever reads on
	if _, err := bufio.NewReader(f).ReadString('\n'); err != nil {
		t.Fatalf("no worker came so far: %v", err)
	}
	return f
}

// Running are the processes that were started with this variable in their
// environment. A zombie has none.
func Running(t testing.TB, variable string) []string {
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
