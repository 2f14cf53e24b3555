//go:build linux

package fork

import (
	"errors"
	"io"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/process/processtest"
)

// A replay that is killed leaves neither the server nor a worker that it has forked.
func TestAKilledReplayLeavesNoFork(t *testing.T) {
	here := t.TempDir()
	python, _ := pythonIn(t, filepath.Join(here, "venv"))
	const hangs = "import json, os, sys, time\nif os.environ['DATABASE_URL'] != 'sqlite:0':\n  print('up', file=(fifo := open('fifo', 'w')), flush=True)\n  time.sleep(1000)\n"
	const hangsRuby = "require 'json'\nif ENV['DATABASE_URL'] != 'sqlite:0'\n  (fifo = File.open('fifo', 'w')).puts('up')\n  fifo.flush\n  sleep\nend\n"
	writeIn(t, here, map[string]string{"hangs.py": hangs, "hangs.rb": hangsRuby})
	for _, command := range []string{python + " hangs.py", "ruby hangs.rb"} {
		fifo := filepath.Join(here, "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil && !errors.Is(err, syscall.EEXIST) {
			t.Fatal(err)
		}
		program := forkCommand(t, command, here)
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		f := processtest.AwaitLine(t, fifo)
		if up := processtest.Running(t, "FORK_TEST="+here); len(up) < 3 {
			t.Errorf("the program, the server and the worker were to be there: %q", up)
		}
		if err := program.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = program.Wait()
		if _, err := io.Copy(io.Discard, f); err != nil { // until the worker has ended
			t.Errorf("the worker lives: %v", err)
		}
		for end := time.Now().Add(processtest.GivesUp); len(processtest.Running(t, "FORK_TEST="+here)) > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("left: %q", processtest.Running(t, "FORK_TEST="+here))
			}
		}
	}
}
