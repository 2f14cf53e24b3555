package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func prepare(t *testing.T) *Group {
	t.Helper()
	g, err := Prepare(t.Context(), Kind{Name: "Shell", PIDFile: "pid"})
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

func TestReason(t *testing.T) {
	out := []byte("1\n2 [ERROR] bad\n3\n4\n5\n6\n7\n8 [ERROR] stop\n9\n\n")
	for complaint, want := range map[string]string{
		"":        "5; 6; 7; 8 [ERROR] stop; 9",
		"[ERROR]": "2 [ERROR] bad; 8 [ERROR] stop",
		"FATAL":   "5; 6; 7; 8 [ERROR] stop; 9",
	} {
		if got := reason(out, complaint); got != want {
			t.Errorf("with %q: %q, want %q", complaint, got, want)
		}
	}
}

func TestTraversable(t *testing.T) {
	closed := filepath.Join(processtest.OpenTemp(t), "closed")
	inside := filepath.Join(closed, "inside")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if !traversable(inside) {
		t.Skip("the temporary folder itself cannot be entered by others")
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	if traversable(inside) {
		t.Error("a folder below a closed one passed")
	}
}
