//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// keepersOf are the processes that a replay has to end what its workers have started.
func keepersOf(t *testing.T, replay int) (found []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range stats {
		text, _ := os.ReadFile(stat) // none of one that has ended
		words, _ := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		var pid, parent int
		var state string
		number, rest, _ := strings.Cut(string(text), " (")
		_, _ = fmt.Sscan(number, &pid)
		_, _ = fmt.Sscan(rest[strings.LastIndex(rest, ")")+1:], &state, &parent)
		if parent == replay && state != "Z" && strings.Contains(string(words), "while read -r now") {
			found = append(found, pid)
		}
	}
	return found
}

// The process that ends a worker's children once the replay was killed may be killed before:
// another one takes its place, and nothing is left.
func TestItsKeeperKilledFirstLeavesNothing(t *testing.T) {
	folder := killedFolder(t)
	cmd := exec.CommandContext(t.Context(), "twiceproof", "replay", "--only", "old/sequential", "parts")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "FIFO="+filepath.Join(folder, "fifo"), "TMPDIR="+folder, "PWD="+folder)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	left := whoIsThere(t, filepath.Join(folder, "fifo"))
	first := keepersOf(t, cmd.Process.Pid)
	if len(first) != 1 {
		t.Fatalf("%d processes keep what was started", len(first))
	}
	for _, kill := range first {
		if err := syscall.Kill(kill, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if now := keepersOf(t, cmd.Process.Pid); len(now) == 1 && !slices.Equal(now, first) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no other one has taken its place")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Error("something that it had started is still there")
	}
}
