package mariadb

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

func TestKilledOwnerLeavesNothing(t *testing.T) { processtest.KillOwner(t) }

func TestPortClash(t *testing.T) {
	processtest.PortClash(t, func(port func() (int, error)) (processtest.Server, error) { return start(t.Context(), port) }, shared(t).Port())
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	temp := processtest.OpenTemp(t)
	t.Setenv("TMPDIR", temp)
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		args []string
		want string
	}{
		"out of time":              {soon, nil, context.DeadlineExceeded.Error()},
		"unknown setting":          {t.Context(), []string{"innodb-snapshot-isolaton=ON"}, "unknown variable 'innodb-snapshot-isolaton=ON'"},
		"refused only when served": {t.Context(), []string{"init-file=/nowhere/file.sql"}, "/nowhere/file.sql"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(c.ctx, c.args...)
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
	if !strings.Contains(err.Error(), "/nowhere/*/bin") || !strings.Contains(missing.Hint(), "mariadb-install-db") {
		t.Errorf("%v\nhint: %s", err, missing.Hint())
	}
	for _, glob := range usualPlaces.Globs {
		if _, err := filepath.Match(glob, ""); err != nil {
			t.Errorf("%s: %v", glob, err)
		}
	}
}

// Where MariaDB's installer is missing, mysqld makes its files itself.
func TestFindMySQL(t *testing.T) {
	dir := t.TempDir()
	server := filepath.Join(dir, "mysqld")
	if err := os.WriteFile(server, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	nowhere := func(string) (string, error) { return "", exec.ErrNotFound }
	got, err := find(process.Places{LookPath: nowhere, Globs: []string{dir}})
	if err != nil || got != (programs{server, ""}) {
		t.Errorf("found %+v, %v", got, err)
	}
}

func BenchmarkStart(b *testing.B) {
	processtest.BenchmarkStart(b, func() (processtest.Server, error) { return Start(b.Context()) })
}

func TestFolderWithBlanks(t *testing.T) {
	processtest.Blanks(t)
	s := own(t)
	if got := query(t, connect(t, s.DSN("")), "SELECT @@tmpdir"); got != s.group.Dir {
		t.Errorf("what is temporary goes to %s, not to %s", got, s.group.Dir)
	}
}
