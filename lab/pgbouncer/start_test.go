package pgbouncer

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process"
	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// beOwner needs no server behind: PgBouncer answers on its console without.
func beOwner() {
	s, err := start(context.Background(), process.FreePort, settings{serverPort: 1, mode: "transaction", poolSize: 1})
	processtest.Must(err)
	processtest.Own(s.group.Port, s.group.Dir)
}

func TestKilledOwnerLeavesNothing(t *testing.T) { processtest.KillOwner(t) }

// One port is of another PgBouncer, one of a PostgreSQL.
func TestPortClash(t *testing.T) {
	processtest.PortClash(t, func(port func() (int, error)) (processtest.Server, error) {
		return start(t.Context(), port, settings{behind(t).Port(), "transaction", 1})
	}, own(t, "session", 1).group.Port, behind(t).Port())
}

func TestNotInstalled(t *testing.T) {
	nowhere := func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := find(process.Places{LookPath: nowhere, Globs: []string{"/nowhere/*"}})
	var missing *NotInstalledError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "/nowhere/*") || !strings.Contains(missing.Hint(), "PATH") {
		t.Errorf("%v\nhint: %s", err, missing.Hint())
	}
}

func BenchmarkStart(b *testing.B) {
	processtest.BenchmarkStart(b, func() (processtest.Server, error) {
		return start(b.Context(), process.FreePort, settings{serverPort: 1, mode: "transaction", poolSize: 1})
	})
}
