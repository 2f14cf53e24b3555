package redis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// ownerEnv makes this test binary start a server and wait to be killed.
const ownerEnv = "TWICEPROOF_LAB_OWNER"

func beOwner() {
	s, err := Start(context.Background(), "appendonly yes")
	if err != nil {
		fmt.Fprintln(os.Stderr, processtest.Explain(err))
		os.Exit(1)
	}
	fmt.Println(s.Port(), s.group.Dir)
	select {}
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"=1")
	cmd.Stderr = os.Stderr
	processtest.KillOwner(t, cmd)
}

func TestPortClash(t *testing.T) {
	ports := []int{processtest.TakenPort(t), shared(t).Port()} // one silent, one of another Redis, which answers
	asked := 0
	s, err := start(t.Context(), func() (int, error) {
		asked++
		if asked <= len(ports) {
			return ports[asked-1], nil
		}
		return process.FreePort()
	})
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if asked != 3 {
		t.Errorf("asked for %d ports, want 3", asked)
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	temp := processtest.OpenTemp(t)
	t.Setenv("TMPDIR", temp)
	soon, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		setting string
		want    string
	}{
		"out of time":              {soon, "", context.DeadlineExceeded.Error()},
		"unknown setting":          {t.Context(), "apendonly yes", "apendonly yes"},
		"refused only when served": {t.Context(), "loadmodule /nowhere/file.so", "/nowhere/file.so"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(c.ctx, c.setting)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the reason %q is not in the error: %v", c.want, err)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	nowhere := func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := find(process.Places{LookPath: nowhere, Globs: []string{"/nowhere/*/bin"}})
	var missing *NotInstalledError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "/nowhere/*/bin") || !strings.Contains(missing.Hint(), "redis-server") {
		t.Errorf("%v\nhint: %s", err, missing.Hint())
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := Start(b.Context())
		if err != nil {
			b.Fatal(processtest.Explain(err))
		}
		b.StopTimer()
		if err := s.Stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
