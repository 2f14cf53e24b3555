package process_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func prepare(t *testing.T) *process.Group {
	t.Helper()
	g, err := process.Prepare(t.Context(), process.Kind{Name: "Shell", PIDFile: "pid"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Stop() })
	return g
}

// stubborn writes its process id and ignores whatever can be ignored.
const stubborn = `trap '' HUP INT QUIT TERM; echo $$ >started.new; mv started.new started; while :; do sleep 1; done`

// A program that ignores the signal, and that the script does not wait for, is
// ended all the same.
func TestStopEndsTheStubborn(t *testing.T) {
	g := prepare(t)
	ended := make(chan error, 1)
	go func() { ended <- g.Run(context.WithoutCancel(t.Context()), "/bin/sh", "-c", stubborn) }()
	var pid int
	processtest.Eventually(t, "it has not started", func() bool {
		text, err := os.ReadFile(g.Path("started"))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if err := g.Stop(); err != nil {
		t.Fatal(err)
	}
	processtest.Eventually(t, "it is still there", func() bool {
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended by itself: %v", err)
	}
	if _, err := os.Stat(g.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestRunSaysWhy(t *testing.T) {
	g := prepare(t)
	err := g.Run(t.Context(), "/bin/sh", "-c", "echo first; echo the reason >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "sh: exit status 3: first; the reason") {
		t.Errorf("got %v", err)
	}
}
