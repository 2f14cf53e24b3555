package rabbitmq

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

func beOwner() {
	s, err := Start(context.Background())
	processtest.Must(err)
	processtest.Own(s.Port(), s.group.Dir)
}

// Neither the broker nor its epmd is left.
func TestKilledOwnerLeavesNothing(t *testing.T) {
	temp := processtest.OpenTemp(t)
	if err := os.Chmod(temp, 0o777); err != nil { // the broker's account removes its folder by itself
		t.Fatal(err)
	}
	processtest.KillOwner(t, "TMPDIR="+temp)
	processtest.Eventually(t, "processes are left", func() bool { return len(processesOf(t, temp)) == 0 })
}

func TestPortClash(t *testing.T) {
	processtest.PortClash(t, func(port func() (int, error)) (processtest.Server, error) {
		return start(t.Context(), ports{port, process.FreePort})
	}, shared(t).Port())
}

// The port of the distribution, which the broker looks at before anything else.
func TestInnerPortClash(t *testing.T) {
	taken, asked := processtest.TakenPort(t), 0
	s, err := start(t.Context(), ports{process.FreePort, func() (int, error) {
		if asked++; asked == 2 { // after that of epmd
			return taken, nil
		}
		return process.FreePort()
	}})
	if err != nil {
		t.Fatal(processtest.Explain(err))
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if asked != 4 {
		t.Errorf("asked for %d ports, want those of two attempts", asked)
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	temp := processtest.OpenTemp(t)
	t.Setenv("TMPDIR", temp)
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		setting string
		want    string
	}{
		"out of time":     {soon, "heartbeat = 2", context.DeadlineExceeded.Error()},
		"unknown setting": {t.Context(), "hartbeat = 2", "hartbeat"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(c.ctx, c.setting)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the reason %q is not in the error: %v", c.want, err)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			// Killed while its script was starting it, the broker is nobody's child to wait for;
			// erl_child_setup, in a group of its own, goes once its pipe to the broker breaks.
			processtest.Eventually(t, "processes are left", func() bool { return len(processesOf(t, temp)) == 0 })
		})
	}
}

func TestNotInstalled(t *testing.T) {
	nowhere := func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := find(process.Places{LookPath: nowhere, Globs: []string{"/nowhere/*/bin"}}, []string{"/nowhere/sbin"})
	var missing *NotInstalledError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "/nowhere/sbin, /nowhere/*/bin") || !strings.Contains(missing.Hint(), "rabbitmq-server") {
		t.Errorf("%v\nhint: %s", err, missing.Hint())
	}
	for _, glob := range append(usualPlaces.Globs, brokerPlaces...) {
		if _, err := filepath.Match(glob, ""); err != nil {
			t.Errorf("%s: %v", glob, err)
		}
	}
}

// The broker's own script goes before a wrapper of the same name on the PATH.
func TestFindPassesTheWrapper(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rabbitmq-server"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	onPath := process.Places{LookPath: func(name string) (string, error) { return "/path/" + name, nil }}
	got, err := find(onPath, []string{dir})
	if want := (programs{filepath.Join(dir, "rabbitmq-server"), "/path/erl", "/path/epmd"}); err != nil || got != want {
		t.Errorf("found %+v, %v", got, err)
	}
	if got, err = find(onPath, nil); err != nil || got.server != "/path/rabbitmq-server" {
		t.Errorf("found %+v, %v", got, err)
	}
}

func BenchmarkStart(b *testing.B) {
	processtest.BenchmarkStart(b, func() (processtest.Server, error) { return Start(b.Context()) })
}
