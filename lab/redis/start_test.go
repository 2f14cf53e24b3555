package redis

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func beOwner() {
	s, err := Start(context.Background(), "appendonly yes")
	processtest.Must(err)
	processtest.Own(s.Port(), s.group.Dir)
}

func TestKilledOwnerLeavesNothing(t *testing.T) { processtest.KillOwner(t) }

func TestPortClash(t *testing.T) {
	processtest.PortClash(t, func(port func() (int, error)) (processtest.Server, error) { return start(t.Context(), port) }, shared(t).Port())
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
	processtest.BenchmarkStart(b, func() (processtest.Server, error) { return Start(b.Context()) })
}

func TestFolderWithBlanks(t *testing.T) {
	processtest.Blanks(t)
	connect(t, own(t)).want(t, "PING", "+PONG")
}
